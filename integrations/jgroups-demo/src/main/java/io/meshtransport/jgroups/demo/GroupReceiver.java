// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import io.meshtransport.topology.MessageContent;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jgroups.Address;
import org.jgroups.MergeView;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.util.NameCache;
import org.jgroups.util.UUID;
import org.jgroups.util.Util;

/**
 * What JGroups delivers to a member. Called by JGroups on its threads; queried by the member's
 * thread.
 */
final class GroupReceiver implements Receiver {
  private final long seed;
  private final GroupState state;
  private final List<ArrivedView> views = new CopyOnWriteArrayList<>();
  private final Map<Address, ReceivedStream> multicasts = new ConcurrentHashMap<>();
  private final Map<Address, ReceivedStream> unicasts = new ConcurrentHashMap<>();
  private volatile long providedBytes;
  private volatile long fetchedBytes;

  private record ArrivedView(long atMillis, View view) {}

  GroupReceiver(long seed) {
    this.seed = seed;
    this.state = new GroupState(seed);
  }

  @Override
  public void viewAccepted(View view) {
    views.add(new ArrivedView(System.currentTimeMillis(), view));
  }

  @Override
  public void receive(Message message) {
    Address from = message.getSrc();
    Address to = message.getDest();
    (to == null ? multicasts : unicasts)
        .computeIfAbsent(from, sender -> new ReceivedStream(content(seed, sender, to)))
        .receive(message.getArray(), message.getOffset(), message.getLength());
  }

  /** Names may be unknown, or be used again; addresses are neither. */
  static MessageContent content(long seed, Address from, Address to) {
    return new MessageContent(
        seed, unique(from), to == null ? MemberCommand.Batch.EVERYONE : unique(to));
  }

  private static String unique(Address address) {
    return ((UUID) address).toStringLong();
  }

  /**
   * Which multicasts have been received is part of the state: a member that fetches it goes on from
   * there, receives none of them, and receives all later ones, perhaps for the second time.
   */
  @Override
  public void getState(OutputStream output) throws IOException {
    DataOutputStream received = new DataOutputStream(output);
    received.writeInt(multicasts.size());
    for (Map.Entry<Address, ReceivedStream> each : multicasts.entrySet()) {
      Util.writeAddress(each.getKey(), received);
      each.getValue().write(received);
    }
    received.flush();
    state.write(providedBytes, output);
  }

  @Override
  public void setState(InputStream input) throws IOException {
    DataInputStream received = new DataInputStream(input);
    Map<Address, ReceivedStream> provided = new HashMap<>();
    for (int left = received.readInt(); left > 0; left--) {
      Address sender = readAddress(received);
      provided.put(sender, new ReceivedStream(content(seed, sender, null), received));
    }
    multicasts.clear();
    multicasts.putAll(provided);
    fetchedBytes = state.check(input);
  }

  private static Address readAddress(DataInput input) throws IOException {
    try {
      return Util.readAddress(input);
    } catch (ClassNotFoundException e) {
      throw new IOException("an address that is none", e);
    }
  }

  void provideState(long bytes) {
    providedBytes = bytes;
  }

  /** Bytes of the state that came last, all right; 0 if none came. */
  long pollFetchedBytes() {
    long bytes = fetchedBytes;
    fetchedBytes = 0;
    return bytes;
  }

  MemberEvent.Views views() {
    return new MemberEvent.Views(views.stream().map(GroupReceiver::installed).toList());
  }

  private static MemberEvent.InstalledView installed(ArrivedView arrived) {
    View view = arrived.view();
    return new MemberEvent.InstalledView(
        arrived.atMillis(),
        view.getViewId().toString(),
        view.getMembers().stream().map(GroupReceiver::name).toList(),
        view.getMembers().stream().map(GroupReceiver::unique).toList(),
        view instanceof MergeView);
  }

  static String name(Address address) {
    String name = NameCache.get(address);
    return name == null ? unique(address) : name;
  }

  MemberEvent.Received received() {
    return new MemberEvent.Received(
        java.util.stream.Stream.concat(multicasts.keySet().stream(), unicasts.keySet().stream())
            .distinct()
            .map(this::receivedFrom)
            .sorted(java.util.Comparator.comparing(MemberEvent.ReceivedFrom::name))
            .toList());
  }

  private MemberEvent.ReceivedFrom receivedFrom(Address sender) {
    return new MemberEvent.ReceivedFrom(
        name(sender), unique(sender), soFar(multicasts, sender), soFar(unicasts, sender));
  }

  private static MemberEvent.Stream soFar(Map<Address, ReceivedStream> streams, Address sender) {
    ReceivedStream stream = streams.get(sender);
    return stream == null ? MemberEvent.Stream.NOTHING : stream.soFar();
  }
}
