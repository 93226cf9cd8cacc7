// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/** A worker's end of a star over gRPC: {@link StarCenter} adds what all send. */
final class StarExchange implements ShardExchange {
  private static final long TIMEOUT_S = 60;

  /** A stream has one answer outstanding. */
  private static final int ANSWERS_AHEAD = 4;

  private final ManagedChannel channel;
  private final Optional<IntConsumer> publish;
  private final Answers sums = new Answers();
  private final Answers tokens = new Answers();
  private final StreamObserver<byte[]> partials;
  private final StreamObserver<byte[]> listening;

  /** What the center has sent, or why it sends no more. */
  private static final class Answers implements StreamObserver<byte[]> {
    private final BlockingQueue<Optional<byte[]>> arrived = new ArrayBlockingQueue<>(ANSWERS_AHEAD);
    private volatile Throwable failure;

    @Override
    public void onNext(byte[] answer) {
      arrived.add(Optional.of(answer));
    }

    @Override
    public void onError(Throwable why) {
      failure = why;
      arrived.offer(Optional.empty());
    }

    @Override
    public void onCompleted() {
      arrived.offer(Optional.empty());
    }

    byte[] await(String what) {
      try {
        Optional<byte[]> answer = arrived.poll(TIMEOUT_S, TimeUnit.SECONDS);
        if (answer == null) {
          throw new ShardExchangeException("no " + what + " in " + TIMEOUT_S + " s", failure);
        }
        return answer.orElseThrow(
            () -> new ShardExchangeException("the star has ended before a " + what, failure));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ShardExchangeException("interrupted while waiting for a " + what, e);
      }
    }
  }

  /**
   * Connects to a center.
   *
   * @param host an address of it that this node reaches
   * @param publish sends a token to all; of shard 0 only
   */
  StarExchange(String host, int port, Optional<IntConsumer> publish) {
    this(
        ManagedChannelBuilder.forAddress(host, port)
            .usePlaintext()
            .maxInboundMessageSize(StarMethods.MAX_MESSAGE_BYTES)
            .build(),
        publish);
  }

  /**
   * @param channel this object's to close, also where it throws
   */
  StarExchange(ManagedChannel channel, Optional<IntConsumer> publish) {
    this.publish = publish;
    this.channel = channel;
    try {
      this.partials = open(StarMethods.COMBINE, sums);
      this.listening = open(StarMethods.GENERATE, tokens);
      tokens.await("greeting");
    } catch (RuntimeException e) {
      channel.shutdownNow();
      throw e;
    }
  }

  private StreamObserver<byte[]> open(MethodDescriptor<byte[], byte[]> method, Answers answers) {
    return ClientCalls.asyncBidiStreamingCall(
        channel.newCall(method, CallOptions.DEFAULT), answers);
  }

  @Override
  public void sum(FloatBuffer partial) {
    byte[] message = new byte[Float.BYTES * partial.limit()];
    StarCenter.floats(message).put(0, partial, 0, partial.limit());
    partials.onNext(message);
    partial.put(0, StarCenter.floats(sums.await("sum")), 0, partial.limit());
  }

  @Override
  public int token(int sampled) {
    publish.ifPresent(each -> each.accept(sampled));
    return ByteBuffer.wrap(tokens.await("token")).getInt();
  }

  @Override
  public void close() {
    partials.onCompleted();
    listening.onCompleted();
    channel.shutdownNow();
  }
}
