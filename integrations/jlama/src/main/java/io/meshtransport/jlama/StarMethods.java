// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * The two streams between a worker and the star's center, named as those of Jlama's service: {@code
 * combine} carries partial sums in and sums out, {@code generate} carries tokens out. Messages are
 * bytes as they are, which saves what protocol buffers would cost.
 */
final class StarMethods {
  static final String SERVICE = "mesh.jlama.Star";

  /** Max length of a message: a prompt of 256 tokens of a large model. */
  static final int MAX_MESSAGE_BYTES = 64 << 20;

  static final MethodDescriptor<byte[], byte[]> COMBINE = stream("combine");
  static final MethodDescriptor<byte[], byte[]> GENERATE = stream("generate");

  private StarMethods() {}

  private static MethodDescriptor<byte[], byte[]> stream(String name) {
    return MethodDescriptor.<byte[], byte[]>newBuilder()
        .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
        .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
        .setRequestMarshaller(Bytes.INSTANCE)
        .setResponseMarshaller(Bytes.INSTANCE)
        .build();
  }

  private enum Bytes implements MethodDescriptor.Marshaller<byte[]> {
    INSTANCE;

    @Override
    public InputStream stream(byte[] message) {
      return new ByteArrayInputStream(message);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw Status.INTERNAL
            .withDescription("a message cannot be read")
            .withCause(e)
            .asRuntimeException();
      }
    }
  }
}
