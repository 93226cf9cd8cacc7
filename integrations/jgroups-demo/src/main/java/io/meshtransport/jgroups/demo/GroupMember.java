// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import io.meshtransport.topology.CommandLoop;
import java.io.IOException;

/** One member of a {@link RunningGroup}, a JVM of its own at a node. */
public final class GroupMember {
  private GroupMember() {}

  /**
   * @param arguments the node's name
   */
  public static void main(String[] arguments) throws IOException {
    MemberLog log = MemberLog.begin();
    CommandLoop.<MemberCommand, MemberEvent>run(
        arguments[0], MemberCommand.class, events -> new MemberProgram(arguments[0], log, events));
  }
}
