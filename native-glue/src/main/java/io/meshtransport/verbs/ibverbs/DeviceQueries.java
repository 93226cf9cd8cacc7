// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.PortState;
import io.meshtransport.verbs.AtomicScope;
import io.meshtransport.verbs.DeviceAttributes;
import io.meshtransport.verbs.DeviceIdentity;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.NativeBlock;
import io.meshtransport.verbs.ObjectLimits;
import io.meshtransport.verbs.PortAttributes;
import io.meshtransport.verbs.PortLink;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.List;

/** Queries of an opened device. Called while the device is in use, by any thread. */
final class DeviceQueries {
  private final NativeDevice device;

  DeviceQueries(NativeDevice device) {
    this.device = device;
  }

  DeviceAttributes device() throws VerbsException {
    ByteBuffer bytes = raw();
    return new DeviceAttributes(
        text(bytes, Layout.DeviceAttr.FW_VER, Layout.DeviceAttr.FW_VER_BYTES),
        bytes.getInt(Layout.DeviceAttr.MAX_QP),
        bytes.getInt(Layout.DeviceAttr.MAX_QP_WR),
        bytes.getInt(Layout.DeviceAttr.MAX_SGE),
        bytes.getInt(Layout.DeviceAttr.MAX_CQE),
        bytes.getInt(Layout.DeviceAttr.MAX_MR),
        bytes.getLong(Layout.DeviceAttr.MAX_MR_SIZE),
        bytes.getInt(Layout.DeviceAttr.MAX_QP_RD_ATOM),
        bytes.getInt(Layout.DeviceAttr.MAX_QP_INIT_RD_ATOM),
        identity(bytes),
        objects(bytes));
  }

  /** The GUIDs are in network order, the rest is not. */
  private static DeviceIdentity identity(ByteBuffer bytes) {
    return new DeviceIdentity(
        Long.reverseBytes(bytes.getLong(Layout.DeviceAttr.NODE_GUID)),
        Long.reverseBytes(bytes.getLong(Layout.DeviceAttr.SYS_IMAGE_GUID)),
        bytes.getInt(Layout.DeviceAttr.VENDOR_ID),
        bytes.getInt(Layout.DeviceAttr.VENDOR_PART_ID),
        bytes.getInt(Layout.DeviceAttr.HW_VER),
        bytes.get(Layout.DeviceAttr.PHYS_PORT_CNT) & 0xFF);
  }

  private static ObjectLimits objects(ByteBuffer bytes) {
    return new ObjectLimits(
        bytes.getInt(Layout.DeviceAttr.MAX_CQ),
        bytes.getInt(Layout.DeviceAttr.MAX_PD),
        bytes.getInt(Layout.DeviceAttr.MAX_AH),
        bytes.getInt(Layout.DeviceAttr.MAX_SRQ),
        bytes.getInt(Layout.DeviceAttr.MAX_SRQ_WR),
        bytes.getInt(Layout.DeviceAttr.MAX_SRQ_SGE),
        bytes.getInt(Layout.DeviceAttr.MAX_SGE_RD),
        bytes.getShort(Layout.DeviceAttr.MAX_PKEYS) & 0xFFFF,
        bytes.getLong(Layout.DeviceAttr.PAGE_SIZE_CAP),
        AtomicScope.ofCode(bytes.getInt(Layout.DeviceAttr.ATOMIC_CAP)));
  }

  /** Ports, numbered from 1. */
  private int ports() throws VerbsException {
    return raw().get(Layout.DeviceAttr.PHYS_PORT_CNT) & 0xFF;
  }

  private ByteBuffer raw() throws VerbsException {
    NativeBlock block = NativeBlock.ofBytes(Layout.DeviceAttr.BYTES);
    int errno = block.during(at -> device.exported().ibv_query_device(device.pointer(), at));
    NativeFailure.check(errno, "ibv_query_device", device.description());
    return block.bytes();
  }

  static String text(ByteBuffer bytes, int offset, int most) {
    StringBuilder text = new StringBuilder();
    for (int i = offset; i < offset + most && bytes.get(i) != 0; i++) {
      text.append((char) bytes.get(i));
    }
    return text.toString();
  }

  PortAttributes port(int port) throws VerbsException {
    requirePort(port);
    NativeBlock block = NativeBlock.ofBytes(Layout.PortAttr.BYTES);
    int errno =
        block.during(at -> device.exported().ibv_query_port(device.pointer(), (byte) port, at));
    NativeFailure.check(errno, "ibv_query_port", "port " + port + " of " + device.description());
    ByteBuffer bytes = block.bytes();
    return new PortAttributes(
        state(bytes.getInt(Layout.PortAttr.STATE)),
        Mtu.ofCode(bytes.getInt(Layout.PortAttr.MAX_MTU)),
        Mtu.ofCode(bytes.getInt(Layout.PortAttr.ACTIVE_MTU)),
        bytes.getInt(Layout.PortAttr.GID_TBL_LEN),
        Integer.toUnsignedLong(bytes.getInt(Layout.PortAttr.MAX_MSG_SZ)),
        link(bytes));
  }

  private static PortLink link(ByteBuffer bytes) {
    return new PortLink(
        LinkCodes.layer(bytes.get(Layout.PortAttr.LINK_LAYER)),
        bytes.get(Layout.PortAttr.PHYS_STATE) == Layout.PortAttr.PHYS_STATE_LINK_UP,
        LinkCodes.lanes(bytes.get(Layout.PortAttr.ACTIVE_WIDTH)),
        LinkCodes.laneSpeedMbps(bytes.get(Layout.PortAttr.ACTIVE_SPEED) & 0xFF),
        bytes.getShort(Layout.PortAttr.PKEY_TBL_LEN) & 0xFFFF);
  }

  /** enum ibv_port_state: 1 down, 2 initialising, 3 armed, 4 active, 5 active but deferred. */
  private static PortState state(int code) {
    return switch (code) {
      case 1 -> PortState.DOWN;
      case 2 -> PortState.INIT;
      case 3 -> PortState.ARMED;
      case 4, 5 -> PortState.ACTIVE;
      default -> PortState.UNKNOWN;
    };
  }

  void requirePort(int port) throws VerbsException {
    int ports = ports();
    if (port < 1 || port > ports) {
      throw new VerbsException(
          Errno.EINVAL,
          device.description() + " has no port " + port + ": its ports are 1 to " + ports);
    }
  }

  int partitionKey(int port, int index) throws VerbsException {
    int rows = port(port).link().partitionTableLength();
    if (index < 0 || index >= rows) {
      throw new VerbsException(
          Errno.EINVAL,
          "partition row "
              + index
              + " of "
              + device.description()
              + " port "
              + port
              + " is outside 0.."
              + (rows - 1));
    }
    NativeBlock key = NativeBlock.ofBytes(Short.BYTES);
    int errno =
        key.during(
            at -> device.exported().ibv_query_pkey(device.pointer(), (byte) port, index, at));
    NativeFailure.check(errno, "ibv_query_pkey", "row " + index + " of " + device.description());
    // In network order.
    return Short.reverseBytes(key.bytes().getShort(0)) & 0xFFFF;
  }

  int gidRowsOfAllPorts() throws VerbsException {
    int rows = 0;
    for (int port = 1; port <= ports(); port++) {
      rows += port(port).gidTableLength();
    }
    return rows;
  }

  List<GidEntry> gidTable(int port) throws VerbsException {
    requirePort(port);
    return device.library().gidRows().of(device, port);
  }
}
