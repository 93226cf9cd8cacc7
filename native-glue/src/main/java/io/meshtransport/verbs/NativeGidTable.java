package io.meshtransport.verbs;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.GidType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Reads a device's GID table with one call (man ibv_query_gid_table). Any thread. */
final class NativeGidTable {
  private static final int IF_NAME_BYTES = 16;

  private final GidTableVerb verb;

  NativeGidTable(GidTableVerb verb) {
    this.verb = verb;
  }

  /** Inside the device's gate. */
  List<GidEntry> rows(NativeDevice device, int port) throws VerbsException {
    int most = device.gidRowsOfAllPorts();
    NativeBlock block = NativeBlock.ofBytes(most * Layout.GidEntryRow.BYTES);
    long count =
        verb._ibv_query_gid_table(
            device.pointer(), block.address(), most, 0, Layout.GidEntryRow.BYTES);
    if (count < 0) {
      throw NativeFailure.of((int) -count, "ibv_query_gid_table", device.description());
    }
    return rowsOfPort(block.bytes(), (int) count, port);
  }

  private static List<GidEntry> rowsOfPort(ByteBuffer bytes, int count, int port) {
    List<GidEntry> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ByteBuffer row = bytes.slice(i * Layout.GidEntryRow.BYTES, Layout.GidEntryRow.BYTES);
      row.order(bytes.order());
      if (row.getInt(Layout.GidEntryRow.PORT_NUM) == port) {
        rows.add(entry(row));
      }
    }
    rows.sort(Comparator.comparingInt(GidEntry::index));
    return rows;
  }

  private static GidEntry entry(ByteBuffer row) {
    byte[] gid = new byte[Gid.LENGTH_BYTES];
    row.get(Layout.GidEntryRow.GID, gid);
    int ifindex = row.getInt(Layout.GidEntryRow.NDEV_IFINDEX);
    return new GidEntry(
        Gid.ofBytes(gid),
        row.getInt(Layout.GidEntryRow.GID_INDEX),
        type(row.getInt(Layout.GidEntryRow.GID_TYPE)),
        interfaceName(ifindex),
        ifindex);
  }

  /** enum ibv_gid_type. */
  private static GidType type(int code) {
    return switch (code) {
      case 0 -> GidType.INFINIBAND;
      case 1 -> GidType.ROCE_V1;
      default -> GidType.ROCE_V2;
    };
  }

  /** Empty where the row has none, or the interface is gone since. */
  private static String interfaceName(int ifindex) {
    NativeBlock name = NativeBlock.ofBytes(IF_NAME_BYTES);
    return ifindex != 0 && Libc.instance().if_indextoname(ifindex, name.address()) != 0
        ? DeviceQueries.text(name.bytes(), 0, IF_NAME_BYTES)
        : "";
  }
}
