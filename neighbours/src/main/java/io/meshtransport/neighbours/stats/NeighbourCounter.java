// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.stats;

/** What repeats, or what foreign programs can cause, and what it means. */
public enum NeighbourCounter {
  SENT("datagrams sent"),
  RECEIVED("datagrams received, refused ones included"),
  MALFORMED("refused: not a datagram of this version, or damaged"),
  OTHER_SECRET("refused: sealed with another secret, or with one where this node has none"),
  OTHER_JOB("refused: of a node of another job"),
  OFF_LINK("refused: the source address is not of the cable that the datagram came over"),
  OVER_RATE("refused: more datagrams from one interface than a mesh needs"),
  UNKNOWN_INTERFACE("refused: from an interface that is not used"),
  REFLECTED("refused: of this node itself, so two of its interfaces are joined"),
  REPLAYED("refused: the counter was seen before; most are copies by the other address family"),
  OLD_INCARNATION("refused: of an earlier life of a node"),
  NEIGHBOURS_FULL("refused: from more nodes on one interface than it keeps"),
  NOT_ADJACENT("refused: no hello, and of a node that is not an adjacent neighbour"),
  DATABASE_FULL("records refused: the database has as many nodes as it keeps"),
  RECORDS_EXPIRED("records removed: not refreshed in their lifetime"),
  RECORDS_RESENT("records sent again because no acknowledgement came"),
  SUMMARIES_SENT("summaries sent, at a new adjacency or because the databases differed"),
  OWN_RECORD_OUTRUN("records of this node that others had in a newer version"),
  LINKS_LEFT_OUT("links that did not fit this node's record");

  private final String description;

  NeighbourCounter(String description) {
    this.description = description;
  }

  /** What is counted, for people. */
  public String description() {
    return description;
  }
}
