// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/**
 * The bytes of a plan; numbers are big-endian and unsigned.
 *
 * <pre>
 * "MPLN" | version u8 | ranks u8
 *   per rank: name (length u8, UTF-8) | limit u64
 * links u16, each: one u8 | other u8 | rate u64 | latency u64
 * fold rate u64 | bound u64
 * trees of all-reduce | of flood, one per rank | per root: of broadcast | per root: of all-gather
 *   trees: count u16, each: weight u32 | parents u8 each, 255 for the root
 * per source, per destination: paths: count u16, each: weight u32 | length u8 | ranks u8 each
 * per kind: one-shot up to i64 bytes
 * recursive doubling: rounds u8, each: partners u8 each | up to i64 bytes
 * oversubscribed u8, 0 or 1
 * hash: the first 8 bytes of the SHA-256 of all before
 * </pre>
 */
final class PlanCodec {
  private static final int MAGIC = 0x4D504C4E;
  private static final int HASH_BYTES = 8;

  private PlanCodec() {}

  static byte[] encode(CollectivePlan plan) {
    byte[] body = body(plan);
    requireShort(body.length + HASH_BYTES);
    return ByteBuffer.allocate(body.length + HASH_BYTES).put(body).putLong(hash(body)).array();
  }

  private static void requireShort(int lengthBytes) {
    if (lengthBytes > CollectivePlan.MAX_ENCODED_BYTES) {
      throw new IllegalArgumentException(
          "no plan: %d bytes, and at most %d are possible"
              .formatted(lengthBytes, CollectivePlan.MAX_ENCODED_BYTES));
    }
  }

  static long hash(CollectivePlan plan) {
    return hash(body(plan));
  }

  private static long hash(byte[] body) {
    try {
      return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(body)).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static byte[] body(CollectivePlan plan) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(MAGIC);
      out.writeByte(CollectivePlan.VERSION);
      write(out, plan.graph());
      out.writeLong(plan.foldBytesPerSecond());
      out.writeLong(plan.boundBytesPerSecond());
      writeTrees(out, plan.allReduce());
      for (SpanningTree each : plan.flood()) {
        writeTrees(out, List.of(each));
      }
      for (List<SpanningTree> each : plan.broadcast()) {
        writeTrees(out, each);
      }
      for (List<SpanningTree> each : plan.allGather()) {
        writeTrees(out, each);
      }
      for (List<RoutedPath> each : plan.allToAll()) {
        writePaths(out, each);
      }
      for (long each : plan.oneShotMaxBytes()) {
        out.writeLong(each);
      }
      write(out, plan.doubling());
      out.writeByte(plan.isOversubscribed() ? 1 : 0);
    } catch (IOException e) {
      throw new UncheckedIOException("memory took no bytes", e);
    }
    return bytes.toByteArray();
  }

  private static void write(DataOutputStream out, LinkGraph graph) throws IOException {
    out.writeByte(graph.size());
    for (int rank = 0; rank < graph.size(); rank++) {
      byte[] name = graph.names().get(rank).getBytes(StandardCharsets.UTF_8);
      out.writeByte(name.length);
      out.write(name);
      out.writeLong(graph.limits().get(rank));
    }
    out.writeShort(graph.links().size());
    for (GraphLink each : graph.links()) {
      out.writeByte(each.one());
      out.writeByte(each.other());
      out.writeLong(each.bytesPerSecond());
      out.writeLong(each.latencyNs());
    }
  }

  private static void write(DataOutputStream out, RecursiveDoubling doubling) throws IOException {
    out.writeByte(doubling.partners().size());
    for (List<Integer> round : doubling.partners()) {
      for (int partner : round) {
        out.writeByte(partner);
      }
    }
    out.writeLong(doubling.maxBytes());
  }

  private static void writeTrees(DataOutputStream out, List<SpanningTree> trees)
      throws IOException {
    out.writeShort(trees.size());
    for (SpanningTree each : trees) {
      out.writeInt((int) each.weight());
      for (int parent : each.parents()) {
        out.writeByte(parent);
      }
    }
  }

  private static void writePaths(DataOutputStream out, List<RoutedPath> paths) throws IOException {
    out.writeShort(paths.size());
    for (RoutedPath each : paths) {
      out.writeInt((int) each.weight());
      out.writeByte(each.ranks().size());
      for (int rank : each.ranks()) {
        out.writeByte(rank);
      }
    }
  }

  static CollectivePlan decode(byte[] bytes) {
    requireShort(bytes.length);
    int bodyBytes = bytes.length - HASH_BYTES;
    PlanReader reader = new PlanReader(bytes);
    reader.expect("the beginning of a plan", MAGIC, reader.u32("the beginning of a plan"));
    reader.expect("the version", CollectivePlan.VERSION, reader.u8("the version"));
    CollectivePlan plan = reader.plan();
    reader.expect("the length of the plan", bodyBytes, reader.position());
    byte[] body = body(plan);
    long hash = reader.i64("the hash");
    if (hash != hash(body) || !ByteBuffer.wrap(bytes, 0, bodyBytes).equals(ByteBuffer.wrap(body))) {
      throw new IllegalArgumentException(
          "no plan: its hash is %016x, that of what it says %016x; it was changed or damaged"
              .formatted(hash, hash(body)));
    }
    return plan;
  }
}
