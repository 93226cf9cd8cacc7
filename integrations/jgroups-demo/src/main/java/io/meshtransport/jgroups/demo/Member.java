// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.ProgramProcess;
import java.time.Duration;
import java.util.List;

/**
 * The harness's end of a {@link GroupMember}. What {@link ProgramProcess} says of threads applies
 * here too. Its starter closes it.
 */
public final class Member extends ProgramProcess<MemberCommand, MemberEvent> {
  private Member(String node, Process process, NodeJvm jvm) {
    super(node, process, MemberEvent.class, event -> false, jvm.errorsOf(node));
  }

  /**
   * Starts a member, which joins nothing until it gets a command to.
   *
   * @param jvm whose main class is {@link GroupMember}: {@link RunningGroup#jvm}
   */
  public static Member start(Fabric fabric, String node, NodeJvm jvm) {
    return new Member(node, start(fabric, node, jvm, node), jvm);
  }

  /** Sends it a command, and waits for the answer: {@link #send} and {@link #awaitEvent}. */
  public <A extends MemberEvent> A execute(MemberCommand command, Class<A> answer, Duration limit) {
    send(command);
    return awaitEvent(answer, limit);
  }

  /** The same, for commands that take hardly any time. */
  <A extends MemberEvent> A execute(MemberCommand command, Class<A> answer) {
    return execute(command, answer, RunningGroup.ANSWER_LIMIT);
  }

  /** What it has received so far. */
  public MemberEvent.Received received() {
    return execute(new MemberCommand.QueryReceived(), MemberEvent.Received.class);
  }

  /** All views since it joined. */
  public MemberEvent.Views views() {
    return execute(new MemberCommand.QueryViews(), MemberEvent.Views.class);
  }

  /** What it has logged at WARN and above. */
  public List<MemberEvent.LogLine> log() {
    return execute(new MemberCommand.QueryLog(), MemberEvent.Log.class).lines();
  }
}
