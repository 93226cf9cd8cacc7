// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.meshtransport.topology.ProgramProcess;
import java.util.List;
import java.util.Map;

/** What a member reports to the harness: one line of JSON each on its standard output. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "event")
@JsonSubTypes({
  @JsonSubTypes.Type(value = MemberEvent.Joined.class, name = "joined"),
  @JsonSubTypes.Type(value = MemberEvent.Views.class, name = "views"),
  @JsonSubTypes.Type(value = MemberEvent.Sent.class, name = "sent"),
  @JsonSubTypes.Type(value = MemberEvent.Received.class, name = "received"),
  @JsonSubTypes.Type(value = MemberEvent.StateFetched.class, name = "state-fetched"),
  @JsonSubTypes.Type(value = MemberEvent.Attributes.class, name = "attributes"),
  @JsonSubTypes.Type(value = MemberEvent.Links.class, name = "links"),
  @JsonSubTypes.Type(value = MemberEvent.Log.class, name = "log"),
  @JsonSubTypes.Type(value = MemberEvent.CachesStarted.class, name = "caches-started"),
  @JsonSubTypes.Type(value = MemberEvent.Stored.class, name = "stored"),
  @JsonSubTypes.Type(value = MemberEvent.Checked.class, name = "checked"),
  @JsonSubTypes.Type(value = MemberEvent.CacheStatus.class, name = "cache-status"),
  @JsonSubTypes.Type(value = MemberEvent.Done.class, name = "done"),
  @JsonSubTypes.Type(value = MemberEvent.Failed.class, name = "failed"),
})
public sealed interface MemberEvent {
  /** Connected, with the first view. */
  record Joined(InstalledView view, long millis) implements MemberEvent {}

  /** All views since joining, the current one last. */
  record Views(List<InstalledView> views) implements MemberEvent {
    /** The one that holds now. */
    public InstalledView current() {
      return views.get(views.size() - 1);
    }
  }

  /**
   * A view.
   *
   * @param atMillis when it came, by this host's clock, since 1970
   * @param id as JGroups prints it, as {@code a|2}
   * @param members by name, the coordinator first
   * @param addresses of the same, as {@link ReceivedFrom#address}
   * @param merged whether it joins groups that had been apart
   */
  record InstalledView(
      long atMillis, String id, List<String> members, List<String> addresses, boolean merged) {}

  /** All sent. */
  record Sent(long messages, long bytes, long millis) implements MemberEvent {}

  /** What has arrived, a line per sender; a sender of whom nothing came has none. */
  record Received(List<ReceivedFrom> senders) implements MemberEvent {}

  /**
   * What has arrived from one sender.
   *
   * @param address distinguishes two senders that had the same name one after the other
   */
  record ReceivedFrom(String name, String address, Stream multicasts, Stream unicasts) {
    /** Nothing lost, doubled or wrong. */
    public boolean hasNoFlaw() {
      return multicasts.hasNoFlaw() && unicasts.hasNoFlaw();
    }
  }

  /**
   * Messages that are numbered.
   *
   * @param next number that comes next, one more than the highest so far; the same for all who have
   *     received all of one sender, itself included
   * @param skipped numbers that were jumped over: lost, unless they came later
   * @param again numbers below one that had come: doubled, or out of order
   * @param wrong messages with a wrong byte or length
   * @param firstFlaw in words; empty if there is none
   */
  record Stream(
      long count, long bytes, long next, long skipped, long again, long wrong, String firstFlaw) {
    /** Nothing has come yet. */
    public static final Stream NOTHING = new Stream(0, 0, 0, 0, 0, 0, "");

    /** Nothing lost, doubled or wrong. */
    public boolean hasNoFlaw() {
      return skipped == 0 && again == 0 && wrong == 0;
    }
  }

  /** A state has arrived whole, and every byte is right. */
  record StateFetched(long bytes, long millis) implements MemberEvent {}

  /** By name, as JGroups prints them. */
  record Attributes(Map<String, String> values) implements MemberEvent {}

  /**
   * The links that MESH has opened.
   *
   * @param text a line each; empty if the transport is another one
   */
  record Links(String text) implements MemberEvent {}

  /** Lines that differ in numbers alone are one. */
  record Log(List<LogLine> lines) implements MemberEvent {}

  /**
   * A line of the log.
   *
   * @param level as {@code WARN}
   * @param text as it was the first time
   * @param count how often
   */
  record LogLine(String level, String logger, String text, long count) {}

  /** The caches run. */
  record CachesStarted(List<String> members, long millis) implements MemberEvent {}

  /** All entries are in the cache. */
  record Stored(int entries, long bytes, long millis) implements MemberEvent {}

  /**
   * What was found of the entries that should be there.
   *
   * @param right entries with every byte as it was put
   * @param bytes of those
   */
  record Checked(int right, long bytes, int missing, int wrong, long millis)
      implements MemberEvent {}

  /**
   * A cache as this member sees it.
   *
   * @param moving whether entries are in flight between members
   */
  record CacheStatus(List<String> members, boolean moving) implements MemberEvent {}

  /** The command is done, and has no result to report. */
  record Done() implements MemberEvent {}

  /**
   * The command was not done.
   *
   * @param reason name of the exception's class
   * @param text what happened
   */
  record Failed(String reason, String text) implements MemberEvent, ProgramProcess.Refusal {}
}
