// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import io.meshtransport.topology.MessageContent;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;

/**
 * A member's channel. Confined to the member's worker thread, but for what its paced sender sends.
 */
final class GroupChannel implements AutoCloseable {
  private final JChannel channel;
  private final GroupReceiver receiver;
  private final long seed;
  // Of the thread that sends: the worker, or the paced sender until the worker has joined it.
  private final Map<String, Long> nextByDestination = new HashMap<>();
  private PacedSender sender;

  private GroupChannel(JChannel channel, GroupReceiver receiver, long seed) {
    this.channel = channel;
    this.receiver = receiver;
    this.seed = seed;
  }

  /**
   * @throws Exception any failure of JGroups
   */
  static GroupChannel join(String node, MemberCommand.Join command) throws Exception {
    GroupReceiver receiver = new GroupReceiver(command.seed());
    JChannel channel = new JChannel(command.stack()).name(node).setReceiver(receiver);
    try {
      channel.connect(command.cluster());
    } catch (Exception e) {
      channel.close();
      throw e;
    }
    return new GroupChannel(channel, receiver, command.seed());
  }

  GroupReceiver receiver() {
    return receiver;
  }

  JChannel channel() {
    return channel;
  }

  MemberEvent send(MemberCommand.Send command) throws Exception {
    requireSilence();
    long begin = System.nanoTime();
    long messages = 0;
    long bytes = 0;
    for (MemberCommand.Batch batch : command.batches()) {
      for (int i = 0; i < batch.count(); i++) {
        send(batch);
        messages++;
        bytes += batch.lengthBytes();
        keepPace(begin, messages, command.perSecond());
      }
    }
    return new MemberEvent.Sent(messages, bytes, millisSince(begin));
  }

  void keepSaying(MemberCommand.StartSending command) {
    requireSilence();
    MemberCommand.Batch one = MemberCommand.Batch.toEveryone(1, command.lengthBytes());
    sender = PacedSender.begin(() -> send(one), command);
  }

  private void requireSilence() {
    if (sender != null) {
      throw new IllegalStateException("this member has a paced sender already");
    }
  }

  MemberEvent stopSaying() throws Exception {
    if (sender == null) {
      throw new IllegalStateException("this member has no paced sender");
    }
    PacedSender ending = sender;
    sender = null;
    return ending.end();
  }

  private void send(MemberCommand.Batch batch) throws Exception {
    Address to = batch.to().equals(MemberCommand.Batch.EVERYONE) ? null : address(batch.to());
    MessageContent content = GroupReceiver.content(seed, channel.getAddress(), to);
    // By address: a member that came back under its name is another one.
    long number = nextByDestination.merge(content.to(), 1L, Long::sum) - 1;
    channel.send(new BytesMessage(to, GroupMessage.make(content, number, batch.lengthBytes())));
  }

  /** Waits until the next message is due. */
  static void keepPace(long beginNs, long messages, int perSecond) {
    if (perSecond > 0) {
      long dueNs = beginNs + messages * TimeUnit.SECONDS.toNanos(1) / perSecond;
      for (long left = dueNs - System.nanoTime(); left > 0; left = dueNs - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
    }
  }

  private Address address(String name) {
    return channel.getView().getMembers().stream()
        .filter(member -> GroupReceiver.name(member).equals(name))
        .findFirst()
        .orElseThrow(
            () -> new IllegalStateException("no member " + name + " in " + channel.getView()));
  }

  MemberEvent fetchState(MemberCommand.FetchState command) throws Exception {
    long begin = System.nanoTime();
    receiver.pollFetchedBytes();
    channel.getState(address(command.from()), command.timeoutMs());
    return new MemberEvent.StateFetched(receiver.pollFetchedBytes(), millisSince(begin));
  }

  static long millisSince(long beginNs) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beginNs);
  }

  @Override
  public void close() {
    channel.close();
  }
}
