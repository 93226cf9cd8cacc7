// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;

/**
 * GID tables as the files below {@code /sys/class/infiniband/DEV/ports/N} show them. A row that is
 * empty, or whose type cannot be read, is left out.
 */
final class SysfsGidTable implements GidTableSource {
  /** A queue pair names its row in 8 bits (sgid_index of ibv_global_route): more are no use. */
  static final int MAX_ROWS = 256;

  private final Sysfs sysfs;
  private final ToIntFunction<String> ifindexOf;

  /**
   * @param ifindexOf index of a network interface, 0 if it is unknown
   */
  SysfsGidTable(Sysfs sysfs, ToIntFunction<String> ifindexOf) {
    this.sysfs = sysfs;
    this.ifindexOf = ifindexOf;
  }

  @Override
  public List<GidEntry> rows(String device, int port) {
    String folder = "class/infiniband/" + device + "/ports/" + port;
    boolean ethernet = sysfs.text(folder + "/link_layer").filter("InfiniBand"::equals).isEmpty();
    List<GidEntry> rows = new ArrayList<>();
    for (int index : sysfs.numbers(folder + "/gids")) {
      if (index < MAX_ROWS) {
        row(folder, index, ethernet).ifPresent(rows::add);
      }
    }
    return rows;
  }

  private Optional<GidEntry> row(String folder, int index, boolean ethernet) {
    Optional<Gid> gid = sysfs.text(folder + "/gids/" + index).flatMap(SysfsGidTable::gid);
    if (gid.isEmpty()) {
      return Optional.empty();
    }
    String netdev = sysfs.text(folder + "/gid_attrs/ndevs/" + index).orElse("");
    return sysfs
        .text(folder + "/gid_attrs/types/" + index)
        .flatMap(text -> type(text, ethernet))
        .map(type -> new GidEntry(gid.get(), index, type, netdev, ifindexOf.applyAsInt(netdev)));
  }

  private static Optional<Gid> gid(String text) {
    try {
      return Optional.of(Gid.parse(text)).filter(gid -> !gid.isZero());
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // Not a row the kernel wrote.
    }
  }

  private static Optional<GidType> type(String text, boolean ethernet) {
    return switch (text) {
      case "RoCE v2" -> Optional.of(GidType.ROCE_V2);
      case "IB/RoCE v1" -> Optional.of(ethernet ? GidType.ROCE_V1 : GidType.INFINIBAND);
      default -> Optional.empty();
    };
  }
}
