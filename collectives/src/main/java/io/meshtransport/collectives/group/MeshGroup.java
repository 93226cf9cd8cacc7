// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.Collective;
import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.collectives.CollectiveOptions;
import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.Reduction;
import io.meshtransport.collectives.exec.Region;
import io.meshtransport.collectives.group.OperationSpec.Kind;
import io.meshtransport.collectives.plan.LinkGraph;
import io.meshtransport.collectives.plan.PlanText;
import io.meshtransport.config.Setting;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.TransportException;
import io.meshtransport.time.WaitTimes;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/** A member of a group, as programs have it. Any thread. */
final class MeshGroup extends OneOffForms implements Group {
  /** How long closing waits for what is on its way. */
  static final long DRAIN_NS = 500_000_000;

  /** Of all connections of groups: deadlines are those of operations. */
  static final ConnectOptions OPTIONS =
      ConnectOptions.DEFAULT.name("collectives").requests(MemberLinks.REQUESTS).withoutDeadline();

  private static final Logger LOG = LogManager.getLogger(MeshGroup.class);

  private final Reception reception;
  private final LocalRank member;
  private final JoinedGraph graph;
  private final Planning planning;
  private final Preparation preparation;
  private final RegisteredMemory nothing;
  private final MemberLives lives;
  private final Optional<CableWatch> watch;
  private boolean isClosed;

  private MeshGroup(Reception reception, LocalRank member, JoinedGraph graph, Planning planning)
      throws CollectiveException {
    this.reception = reception;
    this.member = member;
    this.graph = graph;
    this.planning = planning;
    preparation = new Preparation(member, reception.transport(), planning);
    nothing = allocate(1);
    lives = MemberLives.of(reception.mesh(), member.membership(), member.links().peers());
    watch = watch(reception, member);
  }

  /** Where there is a mesh, it tells a rank that is gone from a cable that is. */
  private static Optional<CableWatch> watch(Reception reception, LocalRank member) {
    if (reception.mesh().isEmpty()) {
      return Optional.empty();
    }
    CableWatch watch = new CableWatch(reception.mesh().get(), member, member.links().peers());
    member.lock();
    try {
      member.verdicts(watch, reception.hasOverlay());
    } finally {
      member.unlock();
    }
    return Optional.of(watch);
  }

  /**
   * Joins, and plans.
   *
   * @param reception one use of it is this group's from now on, also where joining fails
   * @param lives of the members that may join
   * @param news since the join began
   * @param log of all of the join
   */
  static MeshGroup join(
      Reception reception,
      GroupMembership membership,
      MemberLives lives,
      MemberNews news,
      JoinLog log,
      Deadline deadline)
      throws CollectiveException {
    long beginNs = System.nanoTime();
    GroupJoin.Joined joined = null;
    try {
      joined = GroupJoin.join(reception, membership, lives, news, log, deadline);
      PlanExchange.Agreed agreed =
          PlanExchange.agree(joined, pinned(reception, membership), deadline);
      joined.member().links().share(agreed.graph(), membership.rank());
      Planning planning = new Planning(agreed.plan(), agreed.graph());
      MeshGroup group = new MeshGroup(reception, joined.member(), agreed.graph(), planning);
      LOG.info(
          "{}: rank {} of {} joined in {} ms",
          membership.spec(),
          membership.rank(),
          membership.size(),
          (System.nanoTime() - beginNs) / 1_000_000);
      return group;
    } catch (CollectiveException | RuntimeException e) {
      if (joined != null) {
        joined.member().close(DRAIN_NS);
      }
      reception.release();
      throw e;
    }
  }

  /** For the group that all members joined; one that is made of it later has fewer, and plans. */
  private static Optional<Path> pinned(Reception reception, GroupMembership membership) {
    return membership.key().equals(membership.name())
        ? reception.transport().setting(Setting.PLAN.name()).map(Path::of)
        : Optional.empty();
  }

  private GroupMembership members() {
    return member.membership();
  }

  @Override
  public String name() {
    return members().name();
  }

  @Override
  public int rank() {
    return members().rank();
  }

  @Override
  public int size() {
    return members().size();
  }

  @Override
  public List<String> names() {
    return members().names();
  }

  @Override
  public int epoch() {
    return members().epoch();
  }

  @Override
  public String describe() {
    StringBuilder text = new StringBuilder();
    text.append(members().spec()).append(", epoch ").append(epoch()).append(", rank ");
    text.append(rank()).append("\n");
    for (JoinedGraph.Link each : graph.links()) {
      if (each.isRelayed()) {
        text.append("Between ").append(members().members(List.of(each.one(), each.other())));
        text.append(" connections go over relays.\n");
      }
    }
    text.append(planning.plan().explain());
    LinkGraph links = PlanExchange.graph(graph.links(), members());
    LinkGraph measured =
        new LinkGraph(links.names(), links.links(), planning.plan().graph().limits());
    return text.append(PlanText.measured(planning.plan(), measured)).toString();
  }

  @Override
  public Collective barrier(CollectiveOptions options) throws CollectiveException {
    OperationSpec spec = OperationSpec.of(Kind.BARRIER, 0, DataType.I8);
    return prepare(spec, nothing, 0, nothing, 0, options);
  }

  @Override
  public Collective allReduce(
      RegisteredMemory from,
      long fromOffsetBytes,
      RegisteredMemory to,
      long toOffsetBytes,
      long count,
      DataType type,
      Reduction op,
      CollectiveOptions options)
      throws CollectiveException {
    OperationSpec spec = OperationSpec.of(Kind.ALL_REDUCE, count, type, op, -1, options);
    return prepare(spec, from, fromOffsetBytes, to, toOffsetBytes, options);
  }

  @Override
  public Collective reduce(
      RegisteredMemory from,
      long fromOffsetBytes,
      RegisteredMemory to,
      long toOffsetBytes,
      long count,
      DataType type,
      Reduction op,
      int root,
      CollectiveOptions options)
      throws CollectiveException {
    requireRank(root);
    OperationSpec spec = OperationSpec.of(Kind.REDUCE, count, type, op, root, options);
    return prepare(spec, from, fromOffsetBytes, to, toOffsetBytes, options);
  }

  @Override
  public Collective broadcast(
      RegisteredMemory memory,
      long offsetBytes,
      long count,
      DataType type,
      int root,
      CollectiveOptions options)
      throws CollectiveException {
    requireRank(root);
    OperationSpec spec = OperationSpec.of(Kind.BROADCAST, count, type, null, root, options);
    return prepare(spec, memory, offsetBytes, memory, offsetBytes, options);
  }

  @Override
  public Collective allGather(
      RegisteredMemory from,
      long fromOffsetBytes,
      RegisteredMemory to,
      long toOffsetBytes,
      long count,
      DataType type,
      CollectiveOptions options)
      throws CollectiveException {
    OperationSpec spec = OperationSpec.of(Kind.ALL_GATHER, count, type);
    return prepare(spec, from, fromOffsetBytes, to, toOffsetBytes, options);
  }

  @Override
  public Collective reduceScatter(
      RegisteredMemory from,
      long fromOffsetBytes,
      RegisteredMemory to,
      long toOffsetBytes,
      long count,
      DataType type,
      Reduction op,
      CollectiveOptions options)
      throws CollectiveException {
    OperationSpec spec = OperationSpec.of(Kind.REDUCE_SCATTER, count, type, op, -1, options);
    return prepare(spec, from, fromOffsetBytes, to, toOffsetBytes, options);
  }

  @Override
  public Collective allToAll(
      RegisteredMemory from,
      long fromOffsetBytes,
      RegisteredMemory to,
      long toOffsetBytes,
      long count,
      DataType type,
      CollectiveOptions options)
      throws CollectiveException {
    OperationSpec spec = OperationSpec.of(Kind.ALL_TO_ALL, count, type);
    return prepare(spec, from, fromOffsetBytes, to, toOffsetBytes, options);
  }

  @Override
  public Collective sendReceive(
      RegisteredMemory memory,
      long offsetBytes,
      long count,
      DataType type,
      int source,
      int destination,
      CollectiveOptions options)
      throws CollectiveException {
    requireRank(source);
    requireRank(destination);
    OperationSpec spec =
        new OperationSpec(
            Kind.SEND_RECEIVE,
            count,
            type,
            null,
            source,
            destination,
            options.precision(),
            options.order());
    return prepare(spec, memory, offsetBytes, memory, offsetBytes, options);
  }

  private void requireRank(int rank) {
    if (rank < 0 || rank >= size()) {
      throw new IllegalArgumentException("rank " + rank + " of a group of " + size());
    }
  }

  private Collective prepare(
      OperationSpec spec,
      RegisteredMemory from,
      long fromOffsetBytes,
      RegisteredMemory to,
      long toOffsetBytes,
      CollectiveOptions options)
      throws CollectiveException {
    int bytes = spec.type().bytes();
    Region source = new Region(from, fromOffsetBytes, spec.sentElements(size()) * bytes);
    Region target = new Region(to, toOffsetBytes, spec.receivedElements(size()) * bytes);
    requireApart(spec, source, target);
    return preparation.prepare(
        spec, source, target, WaitTimes.boundedNanos(options.prepareTimeout()));
  }

  /** In place means at the same byte, of blocks at this rank's. */
  private void requireApart(OperationSpec spec, Region from, Region to) {
    long block = rank() * spec.count() * spec.type().bytes();
    boolean isInPlace =
        switch (spec.kind()) {
          case ALL_GATHER -> from.offsetBytes() == to.offsetBytes() + block;
          case REDUCE_SCATTER -> to.offsetBytes() == from.offsetBytes() + block;
          case ALL_TO_ALL -> false;
          default -> from.offsetBytes() == to.offsetBytes();
        };
    if (from.overlaps(to) && !isInPlace) {
      throw new IllegalArgumentException(
          spec.text() + ": what is sent and what is received overlap, and are not in place");
    }
  }

  @Override
  public RegisteredMemory allocate(long lengthBytes) throws CollectiveException {
    try {
      return reception
          .transport()
          .allocate(lengthBytes, Set.of(RemoteAccess.PUT, RemoteAccess.GET));
    } catch (TransportException e) {
      throw GroupJoin.failure(Reason.RESOURCES, e.summary(), e);
    }
  }

  @Override
  public Group split(int color, int key, Duration timeout) throws CollectiveException {
    if (color < 0) {
      throw new IllegalArgumentException("a color of " + color + "; it must be 0 or more");
    }
    Deadline deadline = Deadline.after(timeout);
    byte[] mine = ByteBuffer.allocate(2 * Integer.BYTES).putInt(color).putInt(key).array();
    byte[][] all;
    int round;
    synchronized (preparation.lock()) {
      member.lock();
      try {
        round = member.rounds().records().round();
        all =
            member
                .rounds()
                .exchange(RoundKind.SPLIT, mine, "splitting the group", deadline.leftNs());
        for (int each = 0; each < all.length; each++) {
          if (all[each].length != mine.length) {
            throw member.rounds().refused(each);
          }
        }
      } finally {
        member.unlock();
      }
    }
    List<Integer> ranks = new ArrayList<>();
    for (int each = 0; each < all.length; each++) {
      if (ByteBuffer.wrap(all[each]).getInt() == color) {
        ranks.add(each);
      }
    }
    ranks.sort(Comparator.comparingInt((Integer each) -> ByteBuffer.wrap(all[each]).getInt(4)));
    return joinAgain(ranks, members().key() + "/" + round + "." + color, epoch(), deadline);
  }

  @Override
  public Group without(int lost, Duration timeout) throws CollectiveException {
    requireRank(lost);
    if (lost == rank()) {
      throw new IllegalArgumentException("rank " + lost + " is this one, which cannot be without");
    }
    member.lock();
    try {
      member.fail(
          new Failure(
              Reason.ABORTED,
              lost,
              members().member(rank()) + " goes on without " + members().member(lost) + "."));
    } finally {
      member.unlock();
    }
    List<Integer> ranks = new ArrayList<>();
    for (int each = 0; each < size(); each++) {
      if (each != lost) {
        ranks.add(each);
      }
    }
    return joinAgain(ranks, members().key() + "-" + lost, epoch() + 1, Deadline.after(timeout));
  }

  @Override
  public Group rejoin(Duration timeout) throws CollectiveException {
    member.lock();
    try {
      member.fail(
          new Failure(Reason.ABORTED, rank(), members().member(rank()) + " joins the group anew."));
    } finally {
      member.unlock();
    }
    List<Integer> ranks = IntStream.range(0, size()).boxed().toList();
    return joinAgain(ranks, members().key() + "+", epoch() + 1, Deadline.after(timeout));
  }

  private Group joinAgain(List<Integer> ranks, String key, int epoch, Deadline deadline)
      throws CollectiveException {
    List<String> names = ranks.stream().map(names()::get).toList();
    GroupMembership membership =
        new GroupMembership(name(), key, epoch, names, ranks.indexOf(rank()));
    reception.retain();
    return join(
        reception,
        membership,
        lives.of(ranks),
        new MemberNews(reception.mesh()),
        new JoinLog(membership.spec(), System::nanoTime),
        deadline);
  }

  @Override
  public void abort(String text) {
    member.lock();
    try {
      member.fail(
          new Failure(Reason.ABORTED, rank(), members().member(rank()) + " aborted: " + text));
    } finally {
      member.unlock();
    }
  }

  @Override
  public void close() {
    synchronized (this) {
      if (isClosed) {
        return;
      }
      isClosed = true;
    }
    watch.ifPresent(CableWatch::close);
    lives.close();
    member.close(DRAIN_NS);
    closeCached();
    nothing.close();
    reception.release();
  }
}
