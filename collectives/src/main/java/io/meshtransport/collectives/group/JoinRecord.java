// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

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

  static JoinRecord decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    String spec = text(in);
    String addresses = text(in);
    return new JoinRecord(
        spec,
        addresses.isEmpty() ? List.of() : List.of(addresses.split(",")),
        JoinedGraph.decode(in));
  }

  private static String text(ByteBuffer in) {
    byte[] text = new byte[Math.min(in.getShort() & 0xFFFF, in.remaining())];
    in.get(text);
    return new String(text, StandardCharsets.UTF_8);
  }
}
