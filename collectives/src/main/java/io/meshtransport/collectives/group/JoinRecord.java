// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

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

  static JoinRecord decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    byte[] text = new byte[Math.min(in.getShort() & 0xFFFF, in.remaining())];
    in.get(text);
    return new JoinRecord(new String(text, StandardCharsets.UTF_8), JoinedGraph.decode(in));
  }
}
