// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Where a member runs. A value.
 *
 * @param id of the host's kernel, the same in all its containers and namespaces; empty if unknown
 * @param processors that the member may use
 */
record MemberHost(String id, int processors) {
  private static final Logger LOG = LogManager.getLogger(MemberHost.class);

  /** Drawn at each boot: man 4 random. */
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  /** Of an id, in characters; what is longer is none. */
  static final int MAX_ID = 64;

  MemberHost {
    if (id.length() > MAX_ID || processors < 1) {
      throw new IllegalArgumentException(processors + " processors of host '" + id + "'");
    }
  }

  /** This one. */
  static MemberHost here() {
    return of(BOOT_ID, Runtime.getRuntime().availableProcessors());
  }

  static MemberHost of(Path bootId, int processors) {
    try {
      String id = Files.readString(bootId).strip();
      return new MemberHost(id.length() > MAX_ID ? "" : id, processors);
    } catch (IOException e) {
      LOG.debug("{} cannot be read: this member counts as alone on its host", bootId, e);
      return new MemberHost("", processors);
    }
  }

  /** Whether some host has more members than processors, so that they wait for each other there. */
  static boolean isAnyOversubscribed(Collection<MemberHost> members) {
    Map<String, Integer> left = new HashMap<>();
    for (MemberHost each : members) {
      if (!each.id.isEmpty()) {
        left.merge(each.id, each.processors, Math::min);
      }
    }
    for (MemberHost each : members) {
      left.computeIfPresent(each.id, (id, processors) -> processors - 1);
    }
    return left.values().stream().anyMatch(each -> each < 0);
  }
}
