// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import io.meshtransport.jgroups.MESH;
import io.meshtransport.topology.CommandLoop;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jgroups.JChannel;

/** Executes the commands that a member receives. Confined to the member's worker thread. */
final class MemberProgram implements CommandLoop.Program<MemberCommand> {
  private final String name;
  private final MemberLog log;
  private final Consumer<MemberEvent> events;
  private GroupChannel channel;
  private MemberCaches caches;

  MemberProgram(String name, MemberLog log, Consumer<MemberEvent> events) {
    this.name = name;
    this.log = log;
    this.events = events;
  }

  @Override
  public void execute(MemberCommand command) throws InterruptedException {
    try {
      events.accept(outcome(command));
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception | OutOfMemoryError e) {
      // JGroups declares Exception. The harness reports it; a member can report it nowhere else.
      events.accept(new MemberEvent.Failed(e.getClass().getSimpleName(), String.valueOf(e)));
      e.printStackTrace();
    }
  }

  private MemberEvent outcome(MemberCommand command) throws Exception {
    // Java 17 has no switch over types yet.
    if (command instanceof MemberCommand.Join join) {
      return join(join);
    }
    if (command instanceof MemberCommand.QueryViews) {
      return channel().receiver().views();
    }
    if (command instanceof MemberCommand.Send say) {
      return channel().send(say);
    }
    if (command instanceof MemberCommand.StartSending keep) {
      channel().keepSaying(keep);
      return new MemberEvent.Done();
    }
    if (command instanceof MemberCommand.StopSending) {
      return channel().stopSaying();
    }
    if (command instanceof MemberCommand.QueryReceived) {
      return channel().receiver().received();
    }
    if (command instanceof MemberCommand.ProvideState state) {
      channel().receiver().provideState(state.bytes());
      return new MemberEvent.Done();
    }
    if (command instanceof MemberCommand.FetchState fetch) {
      return channel().fetchState(fetch);
    }
    if (command instanceof MemberCommand.QueryProtocol protocol) {
      return attributes(protocol.name());
    }
    if (command instanceof MemberCommand.QueryLinks) {
      return new MemberEvent.Links(
          queried().getProtocolStack().getTransport() instanceof MESH mesh
              ? mesh.printLinks()
              : "");
    }
    if (command instanceof MemberCommand.QueryLog) {
      return new MemberEvent.Log(log.lines());
    }
    if (command instanceof MemberCommand.Leave) {
      channel().close();
      channel = null;
      return new MemberEvent.Done();
    }
    return cacheOutcome(command);
  }

  private MemberEvent cacheOutcome(MemberCommand command) {
    if (command instanceof MemberCommand.StartCaches start) {
      System.getProperties().putAll(start.properties());
      long begin = System.nanoTime();
      caches = MemberCaches.start(name, start);
      return new MemberEvent.CachesStarted(caches.members(), GroupChannel.millisSince(begin));
    }
    if (command instanceof MemberCommand.Put put) {
      return caches().put(put);
    }
    if (command instanceof MemberCommand.Check check) {
      return caches().check(check);
    }
    if (command instanceof MemberCommand.QueryCache tell) {
      return caches().status(tell.cache());
    }
    caches().close();
    caches = null;
    return new MemberEvent.Done();
  }

  private MemberEvent join(MemberCommand.Join join) throws Exception {
    if (channel != null) {
      throw new IllegalStateException("this member has joined already");
    }
    System.getProperties().putAll(join.properties());
    long begin = System.nanoTime();
    channel = GroupChannel.join(name, join);
    return new MemberEvent.Joined(
        channel.receiver().views().current(), GroupChannel.millisSince(begin));
  }

  private MemberEvent attributes(String protocol) {
    Map<String, String> values = new TreeMap<>();
    queried()
        .dumpStats(protocol)
        .values()
        .forEach(each -> each.forEach((key, value) -> values.put(key, String.valueOf(value))));
    return new MemberEvent.Attributes(values);
  }

  private JChannel queried() {
    return channel == null ? caches().channel() : channel.channel();
  }

  private GroupChannel channel() {
    if (channel == null) {
      throw new IllegalStateException("this member has not joined");
    }
    return channel;
  }

  private MemberCaches caches() {
    if (caches == null) {
      throw new IllegalStateException("this member has no caches");
    }
    return caches;
  }
}
