// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;

/**
 * A command of the demo to a node: one line of JSON each on its standard input, done one after the
 * other. Each is answered by the event it names, or by {@link ShardEvent.Failed}.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "do")
@JsonSubTypes({
  @JsonSubTypes.Type(value = ShardCommand.Load.class, name = "load"),
  @JsonSubTypes.Type(value = ShardCommand.JoinMesh.class, name = "join-mesh"),
  @JsonSubTypes.Type(value = ShardCommand.OpenStar.class, name = "open-star"),
  @JsonSubTypes.Type(value = ShardCommand.JoinStar.class, name = "join-star"),
  @JsonSubTypes.Type(value = ShardCommand.Generate.class, name = "generate"),
  @JsonSubTypes.Type(value = ShardCommand.Leave.class, name = "leave"),
})
sealed interface ShardCommand {
  /**
   * Load a share of a model, in place of the one before: {@link ShardEvent.Done}.
   *
   * @param folder of the model
   */
  record Load(String folder, int shard, int shards) implements ShardCommand {}

  /**
   * Exchange by collective operations from now on: {@link ShardEvent.Joined}.
   *
   * @param members names of all nodes, by shard
   */
  record JoinMesh(List<String> members) implements ShardCommand {}

  /** Be the center of a star: {@link ShardEvent.StarOpened}. */
  record OpenStar(int workers) implements ShardCommand {}

  /**
   * Exchange over a star from now on: {@link ShardEvent.Joined}.
   *
   * @param host an address of its center that this node reaches
   */
  record JoinStar(String host, int port) implements ShardCommand {}

  /**
   * Answer a prompt: {@link ShardEvent.Generated}.
   *
   * @param count tokens of the answer
   */
  record Generate(int[] prompt, int count) implements ShardCommand {}

  /** Leave mesh or star: {@link ShardEvent.Done}. */
  record Leave() implements ShardCommand {}
}
