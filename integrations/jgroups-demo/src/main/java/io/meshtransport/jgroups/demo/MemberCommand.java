// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import java.util.Map;

/**
 * A command of the harness to a member: one line of JSON each on its standard input, done one after
 * the other. Each is answered by the event it names, or by {@link MemberEvent.Failed}.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "do")
@JsonSubTypes({
  @JsonSubTypes.Type(value = MemberCommand.Join.class, name = "join"),
  @JsonSubTypes.Type(value = MemberCommand.QueryViews.class, name = "query-views"),
  @JsonSubTypes.Type(value = MemberCommand.Send.class, name = "send"),
  @JsonSubTypes.Type(value = MemberCommand.StartSending.class, name = "start-sending"),
  @JsonSubTypes.Type(value = MemberCommand.StopSending.class, name = "stop-sending"),
  @JsonSubTypes.Type(value = MemberCommand.QueryReceived.class, name = "query-received"),
  @JsonSubTypes.Type(value = MemberCommand.ProvideState.class, name = "provide-state"),
  @JsonSubTypes.Type(value = MemberCommand.FetchState.class, name = "fetch-state"),
  @JsonSubTypes.Type(value = MemberCommand.QueryProtocol.class, name = "query-protocol"),
  @JsonSubTypes.Type(value = MemberCommand.QueryLinks.class, name = "query-links"),
  @JsonSubTypes.Type(value = MemberCommand.QueryLog.class, name = "query-log"),
  @JsonSubTypes.Type(value = MemberCommand.Leave.class, name = "leave"),
  @JsonSubTypes.Type(value = MemberCommand.StartCaches.class, name = "start-caches"),
  @JsonSubTypes.Type(value = MemberCommand.Put.class, name = "put"),
  @JsonSubTypes.Type(value = MemberCommand.Check.class, name = "check"),
  @JsonSubTypes.Type(value = MemberCommand.QueryCache.class, name = "query-cache"),
  @JsonSubTypes.Type(value = MemberCommand.StopCaches.class, name = "stop-caches"),
})
public sealed interface MemberCommand {
  /**
   * Connect a channel, named as the node, to a group: {@link MemberEvent.Joined}.
   *
   * @param stack file, or resource on the class path
   * @param properties for the stack's ${...}: they become system properties of the JVM
   * @param seed of all messages and states, the same for all members
   */
  record Join(String cluster, String stack, Map<String, String> properties, long seed)
      implements MemberCommand {}

  /** Which views there were: {@link MemberEvent.Views}. */
  record QueryViews() implements MemberCommand {}

  /**
   * Send messages: {@link MemberEvent.Sent} when JGroups has accepted the last one, and not before.
   * Messages are numbered on from those sent before, multicasts and the unicasts to each member
   * apart.
   *
   * @param perSecond how many messages at most; 0 for as many as flow control lets through
   */
  record Send(List<Batch> batches, int perSecond) implements MemberCommand {}

  /**
   * Messages of one length.
   *
   * @param to name of a member, or {@link #EVERYONE} for a multicast
   */
  record Batch(String to, int count, int lengthBytes) {
    /** All members, the sender included. */
    public static final String EVERYONE = "*";

    /** Multicasts. */
    public static Batch toEveryone(int count, int lengthBytes) {
      return new Batch(EVERYONE, count, lengthBytes);
    }
  }

  /**
   * Send multicasts until {@link StopSending}, numbered as {@link Send}'s, while other commands are
   * done: {@link MemberEvent.Done} as soon as it has begun.
   *
   * @param perSecond how many messages at most; 0 for as many as flow control lets through
   */
  record StartSending(int lengthBytes, int perSecond) implements MemberCommand {}

  /** End {@link StartSending}: {@link MemberEvent.Sent}, with all it has sent. */
  record StopSending() implements MemberCommand {}

  /** What was received from whom since joining: {@link MemberEvent.Received}. */
  record QueryReceived() implements MemberCommand {}

  /**
   * From now on, a state of so many bytes is there for who fetches it: {@link MemberEvent.Done}.
   */
  record ProvideState(long bytes) implements MemberCommand {}

  /**
   * Fetch the state and check every byte: {@link MemberEvent.StateFetched}.
   *
   * @param from name of the member that provides it
   */
  record FetchState(String from, long timeoutMs) implements MemberCommand {}

  /**
   * Attributes of a protocol of the channel, or of the caches' if there is no channel: {@link
   * MemberEvent.Attributes}.
   *
   * @param name as in the stack, as {@code GMS} or {@code MESH}
   */
  record QueryProtocol(String name) implements MemberCommand {}

  /** Which route each link of a channel over MESH uses: {@link MemberEvent.Links}. */
  record QueryLinks() implements MemberCommand {}

  /** What was logged at WARN or above since the JVM started: {@link MemberEvent.Log}. */
  record QueryLog() implements MemberCommand {}

  /** Close the channel: {@link MemberEvent.Done}. */
  record Leave() implements MemberCommand {}

  /**
   * Start Infinispan with a replicated and a distributed cache, and wait until both have their
   * share: {@link MemberEvent.CachesStarted}.
   *
   * @param stack for its stack-file: a file, or a resource on the class path
   * @param properties as {@link Join}'s
   */
  record StartCaches(String cluster, String stack, Map<String, String> properties)
      implements MemberCommand {}

  /** Put entries: {@link MemberEvent.Stored}. */
  record Put(String cache, Entries entries) implements MemberCommand {}

  /**
   * Read entries and check every byte of each: {@link MemberEvent.Checked}.
   *
   * @param localOnly only those that are in this JVM; the others count as missing
   */
  record Check(String cache, Entries entries, boolean localOnly) implements MemberCommand {}

  /** Who has a cache, and whether entries are in flight: {@link MemberEvent.CacheStatus}. */
  record QueryCache(String cache) implements MemberCommand {}

  /** Stop Infinispan: {@link MemberEvent.Done}. */
  record StopCaches() implements MemberCommand {}
}
