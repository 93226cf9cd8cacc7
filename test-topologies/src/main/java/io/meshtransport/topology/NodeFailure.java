// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

/** A node did not do what it was told. */
public final class NodeFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String reason;

  NodeFailure(String node, String reason, String text, String lastErrors) {
    super(
        "node "
            + node
            + ": "
            + reason
            + ": "
            + text
            + (lastErrors.isEmpty() ? "" : "\nIts last lines were:\n" + lastErrors));
    this.reason = reason;
  }

  /** Name of the TransportException's reason, or SILENT, ENDED, UNEXPECTED. */
  public String reason() {
    return reason;
  }

  /** What happened, without the node's log. */
  public String headline() {
    return getMessage().lines().findFirst().orElseThrow();
  }
}
