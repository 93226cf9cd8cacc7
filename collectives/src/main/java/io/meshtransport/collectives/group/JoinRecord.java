// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * What a member says first: which group it joins, its addresses with their prefix lengths, and the
 * links to higher ranks that it has opened. Length of the text (u16), text in UTF-8, the same of
 * the addresses with commas between them, links.
 */
record JoinRecord(String spec, List<String> addresses, List<JoinedGraph.Link> links) {
  byte[] encode() {
    byte[] text = spec.getBytes(StandardCharsets.UTF_8);
    byte[] nics = String.join(",", addresses).getBytes(StandardCharsets.UTF_8);
    byte[] edges = JoinedGraph.encode(links);
    return ByteBuffer.allocate(2 * 2 + text.length + nics.length + edges.length)
        .putShort((short) text.length)
        .put(text)
        .putShort((short) nics.length)
        .put(nics)
        .put(edges)
        .array();
  }

  /** Empty for what is no record of a group of this size. */
  static Optional<JoinRecord> decode(byte[] bytes, int size) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    Optional<String> spec = text(in);
    Optional<String> addresses = spec.isPresent() ? text(in) : Optional.empty();
    if (addresses.isEmpty()) {
      return Optional.empty();
    }
    List<String> each = addresses.get().isEmpty() ? List.of() : List.of(addresses.get().split(","));
    return JoinedGraph.decode(in, size).map(links -> new JoinRecord(spec.get(), each, links));
  }

  private static Optional<String> text(ByteBuffer in) {
    int length = in.remaining() < Short.BYTES ? Integer.MAX_VALUE : in.getShort() & 0xFFFF;
    if (length > in.remaining()) {
      return Optional.empty();
    }
    byte[] text = new byte[length];
    in.get(text);
    return Optional.of(new String(text, StandardCharsets.UTF_8));
  }
}
