// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the parts of an encoded plan, see {@link PlanCodec}. Throws {@link
 * IllegalArgumentException} at the first that is missing or not possible; keeps no more memory than
 * the input has bytes, times a small factor.
 */
final class PlanReader {
  private static final int ROOT = 0xFF;
  private static final long U32 = 0xFFFFFFFFL;

  private final ByteBuffer in;
  private int ranks;

  PlanReader(byte[] bytes) {
    in = ByteBuffer.wrap(bytes);
  }

  int position() {
    return in.position();
  }

  CollectivePlan plan() {
    LinkGraph graph = graph();
    return new CollectivePlan(
        graph,
        i64("the fold rate"),
        i64("the bound"),
        trees(),
        flood(),
        groups(),
        groups(),
        allToAll(),
        thresholds(),
        doubling(),
        flag("whether it is oversubscribed"));
  }

  private LinkGraph graph() {
    ranks = u8("the number of ranks");
    List<String> names = new ArrayList<>();
    List<Long> limits = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      names.add(name());
      limits.add(i64("a limit"));
    }
    int count = u16("the number of links");
    List<GraphLink> links = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      links.add(new GraphLink(u8("a rank"), u8("a rank"), i64("a rate"), i64("a latency")));
    }
    return new LinkGraph(names, links, limits);
  }

  private String name() {
    byte[] name = new byte[u8("the length of a name")];
    require("a name", name.length);
    in.get(name);
    return new String(name, StandardCharsets.UTF_8);
  }

  private List<SpanningTree> trees() {
    int count = u16("the number of trees");
    List<SpanningTree> trees = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      trees.add(tree());
    }
    return trees;
  }

  private SpanningTree tree() {
    long weight = u32("a weight") & U32;
    List<Integer> parents = new ArrayList<>();
    int root = -1;
    for (int rank = 0; rank < ranks; rank++) {
      int parent = u8("a parent");
      root = parent == ROOT ? rank : root;
      parents.add(parent == ROOT ? -1 : parent);
    }
    return new SpanningTree(root, parents, weight);
  }

  private List<SpanningTree> flood() {
    List<SpanningTree> flood = new ArrayList<>();
    for (int root = 0; root < ranks; root++) {
      List<SpanningTree> trees = trees();
      expect("the number of trees of a flood", 1, trees.size());
      flood.add(trees.get(0));
    }
    return flood;
  }

  private List<List<SpanningTree>> groups() {
    List<List<SpanningTree>> groups = new ArrayList<>();
    for (int root = 0; root < ranks; root++) {
      groups.add(trees());
    }
    return groups;
  }

  private List<List<RoutedPath>> allToAll() {
    List<List<RoutedPath>> all = new ArrayList<>();
    for (int pair = 0; pair < ranks * ranks; pair++) {
      int count = u16("the number of paths");
      List<RoutedPath> paths = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        paths.add(path());
      }
      all.add(paths);
    }
    return all;
  }

  private RoutedPath path() {
    long weight = u32("a weight") & U32;
    int length = u8("the length of a path");
    List<Integer> path = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      path.add(u8("a rank"));
    }
    return new RoutedPath(path, weight);
  }

  private List<Long> thresholds() {
    List<Long> thresholds = new ArrayList<>();
    for (int kind = 0; kind < CollectiveKind.values().length; kind++) {
      thresholds.add(i64("a threshold"));
    }
    return thresholds;
  }

  private RecursiveDoubling doubling() {
    int at = position();
    int rounds = u8("the number of rounds");
    List<List<Integer>> partners = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      List<Integer> round = new ArrayList<>();
      for (int rank = 0; rank < ranks; rank++) {
        round.add(u8("a partner"));
      }
      partners.add(round);
    }
    long maxBytes = i64("a threshold");
    try {
      return new RecursiveDoubling(partners, maxBytes);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "no plan: from byte %d on: %s".formatted(at, e.getMessage()), e);
    }
  }

  private boolean flag(String what) {
    int flag = u8(what);
    expect(what, Math.min(flag, 1), flag);
    return flag == 1;
  }

  int u8(String what) {
    require(what, Byte.BYTES);
    return Byte.toUnsignedInt(in.get());
  }

  private int u16(String what) {
    require(what, Short.BYTES);
    return Short.toUnsignedInt(in.getShort());
  }

  int u32(String what) {
    require(what, Integer.BYTES);
    return in.getInt();
  }

  long i64(String what) {
    require(what, Long.BYTES);
    return in.getLong();
  }

  private void require(String what, int bytes) {
    if (in.remaining() < bytes) {
      throw new IllegalArgumentException(
          "no plan: it ends at byte %d, within %s".formatted(in.limit(), what));
    }
  }

  void expect(String what, long expected, long found) {
    if (expected != found) {
      throw new IllegalArgumentException(
          "no plan: byte %d: %s is %d, not %d".formatted(in.position(), what, found, expected));
    }
  }
}
