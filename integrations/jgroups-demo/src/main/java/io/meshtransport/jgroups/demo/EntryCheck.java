// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

/** Counts what is right of a cache's entries. One thread. */
final class EntryCheck {
  private final String cache;
  private final Entries entries;
  private int right;
  private long bytes;
  private int missing;
  private int wrong;

  EntryCheck(String cache, Entries entries) {
    this.cache = cache;
    this.entries = entries;
  }

  /**
   * @param value null if the cache has none
   */
  void see(int number, byte[] value) {
    if (value == null) {
      missing++;
    } else if (entries.isRight(cache, number, value)) {
      right++;
      bytes += value.length;
    } else {
      wrong++;
    }
  }

  MemberEvent.Checked result(long millis) {
    return new MemberEvent.Checked(right, bytes, missing, wrong, millis);
  }
}
