// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The center of a star as Jlama's coordinator is one: each worker sends it its partial sums, it
 * adds them in the order of their arrival and sends the sum to all. So every byte goes through the
 * center's node, twice for each other node, and the cables between the others stay idle.
 *
 * <p>Workers connect to it from everywhere, itself included. gRPC's threads call it, any number at
 * a time; the opener closes it.
 */
final class StarCenter implements AutoCloseable {
  private final int workers;
  private final Server server;
  private final List<byte[]> partials = new ArrayList<>();
  private final List<StreamObserver<byte[]>> waiting = new ArrayList<>();
  private final List<StreamObserver<byte[]>> listeners = new ArrayList<>();

  private StarCenter(int workers) throws IOException {
    this.workers = workers;
    this.server =
        ServerBuilder.forPort(0)
            .maxInboundMessageSize(StarMethods.MAX_MESSAGE_BYTES)
            .addService(
                ServerServiceDefinition.builder(StarMethods.SERVICE)
                    .addMethod(
                        StarMethods.COMBINE, ServerCalls.asyncBidiStreamingCall(this::combine))
                    .addMethod(
                        StarMethods.GENERATE, ServerCalls.asyncBidiStreamingCall(this::listen))
                    .build())
            .build()
            .start();
  }

  /**
   * Opens one, on a free port of all addresses.
   *
   * @param workers that each sum is of
   * @throws IOException if there is no port
   */
  static StarCenter open(int workers) throws IOException {
    return new StarCenter(workers);
  }

  int port() {
    return server.getPort();
  }

  /** Sends a token to every worker. */
  synchronized void publish(int token) {
    byte[] message = ByteBuffer.allocate(Integer.BYTES).putInt(token).array();
    listeners.forEach(each -> each.onNext(message));
  }

  private StreamObserver<byte[]> combine(StreamObserver<byte[]> answers) {
    return new Requests(answers) {
      @Override
      public void onNext(byte[] partial) {
        add(partial, answers);
      }
    };
  }

  private synchronized StreamObserver<byte[]> listen(StreamObserver<byte[]> answers) {
    listeners.add(answers);
    // An empty message is the answer that it listens from now on.
    answers.onNext(new byte[0]);
    return new Requests(answers) {
      @Override
      public void onNext(byte[] none) {
        answers.onError(Status.INVALID_ARGUMENT.asRuntimeException());
      }
    };
  }

  private synchronized void add(byte[] partial, StreamObserver<byte[]> answers) {
    partials.add(partial);
    waiting.add(answers);
    if (partials.size() == workers) {
      byte[] sum = sum();
      waiting.forEach(each -> each.onNext(sum));
      waiting.clear();
      partials.clear();
    }
  }

  private byte[] sum() {
    byte[] sum = partials.get(0);
    FloatBuffer sums = floats(sum);
    for (byte[] partial : partials.subList(1, partials.size())) {
      FloatBuffer addends = floats(partial);
      for (int i = 0; i < sums.limit(); i++) {
        sums.put(i, sums.get(i) + addends.get(i));
      }
    }
    return sum;
  }

  static FloatBuffer floats(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer();
  }

  private abstract static class Requests implements StreamObserver<byte[]> {
    private final StreamObserver<byte[]> answers;

    Requests(StreamObserver<byte[]> answers) {
      this.answers = answers;
    }

    @Override
    public void onError(Throwable why) {
      // The worker is gone; the others fail when their sums are late.
    }

    @Override
    public void onCompleted() {
      answers.onCompleted();
    }
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
