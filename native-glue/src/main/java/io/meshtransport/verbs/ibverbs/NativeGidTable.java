// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.GidType;
import io.meshtransport.verbs.NativeBlock;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Reads a device's GID table with one call (man ibv_query_gid_table). Any thread. */
final class NativeGidTable implements GidRows {
  private static final int IF_NAME_BYTES = 16;
  private static final int MAX_INDEX = 0xFFFF;

  /** By number in enum ibv_gid_type. */
  private static final GidType[] TYPES = {GidType.INFINIBAND, GidType.ROCE_V1, GidType.ROCE_V2};

  private final GidTableVerb verb;

  NativeGidTable(GidTableVerb verb) {
    this.verb = verb;
  }

  @Override
  public List<GidEntry> of(NativeDevice device, int port) throws VerbsException {
    int most = device.gidRowsOfAllPorts();
    NativeBlock block = NativeBlock.ofBytes(most * Layout.GidEntryRow.BYTES);
    long count =
        block.duringLong(
            at ->
                verb._ibv_query_gid_table(device.pointer(), at, most, 0, Layout.GidEntryRow.BYTES));
    if (count < 0) {
      throw NativeFailure.of((int) -count, "ibv_query_gid_table", device.description());
    }
    LayoutCheck layout = device.library().layout();
    layout.require(count <= most, "ibv_query_gid_table found " + count + " rows of " + most);
    return rowsOfPort(block.bytes(), (int) count, port, layout);
  }

  private static List<GidEntry> rowsOfPort(
      ByteBuffer bytes, int count, int port, LayoutCheck layout) throws VerbsException {
    List<GidEntry> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ByteBuffer row = bytes.slice(i * Layout.GidEntryRow.BYTES, Layout.GidEntryRow.BYTES);
      row.order(bytes.order());
      if (row.getInt(Layout.GidEntryRow.PORT_NUM) == port) {
        rows.add(entry(row, layout));
      }
    }
    rows.sort(Comparator.comparingInt(GidEntry::index));
    return rows;
  }

  private static GidEntry entry(ByteBuffer row, LayoutCheck layout) throws VerbsException {
    byte[] raw = new byte[Gid.LENGTH_BYTES];
    row.get(Layout.GidEntryRow.GID, raw);
    Gid gid = Gid.ofBytes(raw);
    int index = row.getInt(Layout.GidEntryRow.GID_INDEX);
    int type = row.getInt(Layout.GidEntryRow.GID_TYPE);
    int ifindex = row.getInt(Layout.GidEntryRow.NDEV_IFINDEX);
    layout.require(
        !gid.isZero()
            && index >= 0
            && index <= MAX_INDEX
            && type >= 0
            && type < TYPES.length
            && ifindex >= 0,
        "ibv_gid_entry holds " + gid + ", index " + index + ", type " + type + ", " + ifindex);
    return new GidEntry(gid, index, TYPES[type], interfaceName(ifindex), ifindex);
  }

  /** Empty where the row has none, or the interface is gone since. */
  private static String interfaceName(int ifindex) {
    NativeBlock name = NativeBlock.ofBytes(IF_NAME_BYTES);
    return ifindex != 0 && name.duringLong(at -> Libc.instance().if_indextoname(ifindex, at)) != 0
        ? DeviceQueries.text(name.bytes(), 0, IF_NAME_BYTES)
        : "";
  }
}
