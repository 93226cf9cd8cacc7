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
 * @param links each once; as many of two ranks as cables are used between them
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
   * @param cable which of the cables between the two, from 0
   * @param isSteady whether its rate was found again and again, so that it is what the link allows
   */
  record Link(
      int one,
      int other,
      long bytesPerSecond,
      long latencyNs,
      boolean isRelayed,
      int cable,
      boolean isSteady) {
    static final int BYTES = 2 + 8 + 8 + 2;
    private static final int RELAYED = 1;
    private static final int STEADY = 2;

    Link(int one, int other, long bytesPerSecond, long latencyNs, boolean isRelayed, int cable) {
      this(one, other, bytesPerSecond, latencyNs, isRelayed, cable, false);
    }

    Link(int one, int other, long bytesPerSecond, long latencyNs, boolean isRelayed) {
      this(one, other, bytesPerSecond, latencyNs, isRelayed, 0);
    }

    boolean isSameCable(Link link) {
      return joins(link.one, link.other) && cable == link.cable;
    }

    boolean joins(int rank, int neighbour) {
      return one == Math.min(rank, neighbour) && other == Math.max(rank, neighbour);
    }

    Link measured(long newBytesPerSecond, long newLatencyNs) {
      return new Link(one, other, newBytesPerSecond, newLatencyNs, isRelayed, cable, isSteady);
    }

    Link steady(boolean newSteady) {
      return new Link(one, other, bytesPerSecond, latencyNs, isRelayed, cable, newSteady);
    }

    void write(ByteBuffer out) {
      out.put((byte) one).put((byte) other).putLong(bytesPerSecond).putLong(latencyNs);
      out.put((byte) ((isRelayed ? RELAYED : 0) | (isSteady ? STEADY : 0))).put((byte) cable);
    }

    static Link read(ByteBuffer in) {
      int one = in.get() & 0xFF;
      int other = in.get() & 0xFF;
      long bytesPerSecond = in.getLong();
      long latencyNs = in.getLong();
      int flags = in.get();
      return new Link(
          one,
          other,
          bytesPerSecond,
          latencyNs,
          (flags & RELAYED) != 0,
          in.get() & 0xFF,
          (flags & STEADY) != 0);
    }
  }

  JoinedGraph {
    links = List.copyOf(links);
  }

  /** The cables between two ranks. */
  int[] cables(int rank, int neighbour) {
    return links.stream()
        .filter(each -> each.joins(rank, neighbour))
        .mapToInt(Link::cable)
        .sorted()
        .toArray();
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
      if (link.one() >= link.other()
          || link.other() >= size
          || link.cable() >= MemberLinks.MAX_CABLES) {
        return Optional.empty();
      }
      links.add(link);
    }
    return in.hasRemaining() ? Optional.empty() : Optional.of(links);
  }
}
