// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Which ranks have a link to each other, with what is known of each. A value, the same on every
 * rank.
 *
 * @param size number of ranks
 * @param links each once
 */
record JoinedGraph(int size, List<Link> links) {
  /**
   * A link of a group.
   *
   * @param one the lower rank
   * @param other the higher rank
   * @param bytesPerSecond in each direction; 0 if unknown
   * @param latencyNs in one direction; 0 if unknown
   * @param isRelayed whether it goes over a relay
   */
  record Link(int one, int other, long bytesPerSecond, long latencyNs, boolean isRelayed) {
    static final int BYTES = 2 + 8 + 8 + 1;

    void write(ByteBuffer out) {
      out.put((byte) one).put((byte) other).putLong(bytesPerSecond).putLong(latencyNs);
      out.put((byte) (isRelayed ? 1 : 0));
    }

    static Link read(ByteBuffer in) {
      return new Link(in.get() & 0xFF, in.get() & 0xFF, in.getLong(), in.getLong(), in.get() != 0);
    }
  }

  JoinedGraph {
    links = List.copyOf(links);
  }

  static byte[] encode(List<Link> links) {
    ByteBuffer out = ByteBuffer.allocate(links.size() * Link.BYTES);
    links.forEach(each -> each.write(out));
    return out.array();
  }

  /** Empty for what is no list of links of a group of this size. */
  static Optional<List<Link>> decode(ByteBuffer in, int size) {
    List<Link> links = new ArrayList<>();
    while (in.remaining() >= Link.BYTES) {
      Link link = Link.read(in);
      if (link.one() >= link.other() || link.other() >= size) {
        return Optional.empty();
      }
      links.add(link);
    }
    return in.hasRemaining() ? Optional.empty() : Optional.of(links);
  }
}
