// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * What a member says first: which group it joins, and the links to higher ranks that it has opened.
 * Length of the text (u16), text in UTF-8, links.
 */
record JoinRecord(String spec, List<JoinedGraph.Link> links) {
  byte[] encode() {
    byte[] text = spec.getBytes(StandardCharsets.UTF_8);
    byte[] edges = JoinedGraph.encode(links);
    return ByteBuffer.allocate(2 + text.length + edges.length)
        .putShort((short) text.length)
        .put(text)
        .put(edges)
        .array();
  }

  /** Empty for what is no record of a group of this size. */
  static Optional<JoinRecord> decode(byte[] bytes, int size) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    int length = in.remaining() < Short.BYTES ? Integer.MAX_VALUE : in.getShort() & 0xFFFF;
    if (length > in.remaining()) {
      return Optional.empty();
    }
    byte[] text = new byte[length];
    in.get(text);
    return JoinedGraph.decode(in, size)
        .map(links -> new JoinRecord(new String(text, StandardCharsets.UTF_8), links));
  }
}
