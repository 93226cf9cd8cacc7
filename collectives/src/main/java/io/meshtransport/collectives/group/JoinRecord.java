// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * What a member says first: which group it joins, its addresses with their prefix lengths, its
 * host, and the links to higher ranks that it has opened. Length of the text (u16), text in UTF-8,
 * the same of the addresses with commas between them and of the host's id, processors (u16), links.
 */
record JoinRecord(
    String spec, List<String> addresses, MemberHost host, List<JoinedGraph.Link> links) {
  byte[] encode() {
    byte[] text = spec.getBytes(StandardCharsets.UTF_8);
    byte[] nics = String.join(",", addresses).getBytes(StandardCharsets.UTF_8);
    byte[] id = host.id().getBytes(StandardCharsets.UTF_8);
    byte[] edges = JoinedGraph.encode(links);
    return ByteBuffer.allocate(4 * 2 + text.length + nics.length + id.length + edges.length)
        .putShort((short) text.length)
        .put(text)
        .putShort((short) nics.length)
        .put(nics)
        .putShort((short) id.length)
        .put(id)
        .putShort((short) Math.min(host.processors(), Short.MAX_VALUE))
        .put(edges)
        .array();
  }

  /** Empty for what is no record of a group of this size. */
  static Optional<JoinRecord> decode(byte[] bytes, int size) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    Optional<String> spec = text(in);
    Optional<String> addresses = spec.isPresent() ? text(in) : Optional.empty();
    Optional<MemberHost> host = addresses.isPresent() ? host(in) : Optional.empty();
    if (host.isEmpty()) {
      return Optional.empty();
    }
    List<String> each = addresses.get().isEmpty() ? List.of() : List.of(addresses.get().split(","));
    return JoinedGraph.decode(in, size)
        .map(links -> new JoinRecord(spec.get(), each, host.get(), links));
  }

  private static Optional<MemberHost> host(ByteBuffer in) {
    Optional<String> id = text(in).filter(each -> each.length() <= MemberHost.MAX_ID);
    int processors = id.isEmpty() || in.remaining() < Short.BYTES ? 0 : in.getShort();
    return processors < 1 ? Optional.empty() : Optional.of(new MemberHost(id.get(), processors));
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
