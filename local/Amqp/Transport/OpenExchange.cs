namespace DroneDelivery.Amqp;

/// <summary>Protocol headers, SASL and open: all that comes before the sessions (AMQP 1.0 §2.4.1).</summary>
internal static class OpenExchange
{
    public static async Task<Open> AsClientAsync(HandshakePipe pipe, AmqpConnectionOptions options, string hostName, CancellationToken ct)
    {
        if (options.Sasl is not null) await SaslExchange.AsClientAsync(pipe, options.Sasl, hostName, ct);
        await pipe.WriteAsync(ProtocolHeader.Amqp, ct);
        await pipe.ExpectHeaderAsync(ProtocolHeader.Amqp, ct);
        await pipe.WriteFrameAsync(Frame.AmqpType, OwnOpen(options, hostName), ct);
        var remote = await pipe.ReadFrameAsync(ReadOpen, ct);
        Check(remote);
        return remote;
    }

    /// <summary>Null when the peer speaks something else or was not let in: it has been told so.</summary>
    public static async Task<Open?> AsServerAsync(HandshakePipe pipe, AmqpConnectionOptions options, CancellationToken ct)
    {
        var header = await pipe.ReadHeaderAsync(ct);
        if (header.AsSpan().SequenceEqual(ProtocolHeader.Sasl))
        {
            if (!await SaslExchange.AsServerAsync(pipe, options.Authenticate, ct)) return null;
            // Only the client's own header proves that it has read the outcome: some clients lose what comes right behind it.
            header = await pipe.ReadHeaderAsync(ct);
        }
        await pipe.WriteAsync(ProtocolHeader.Amqp, ct);
        if (!header.AsSpan().SequenceEqual(ProtocolHeader.Amqp)) return null;
        return await AnswerOpenAsync(pipe, options, ct);
    }

    private static async Task<Open?> AnswerOpenAsync(HandshakePipe pipe, AmqpConnectionOptions options, CancellationToken ct)
    {
        try
        {
            var remote = await pipe.ReadFrameAsync(ReadOpen, ct);
            Check(remote);
            await pipe.WriteFrameAsync(Frame.AmqpType, OwnOpen(options, hostName: null), ct);
            return remote;
        }
        catch (AmqpException refused)
        {
            // A close is only legal behind an open (AMQP 1.0 §2.4.3).
            await pipe.WriteFrameAsync(Frame.AmqpType, OwnOpen(options, hostName: null), ct);
            await pipe.WriteFrameAsync(Frame.AmqpType, new Close { Error = refused.Error }, ct);
            return null;
        }
    }

    private static Open ReadOpen(byte type, ulong descriptor, ref FieldReader fields)
    {
        if (type != Frame.AmqpType || descriptor is not (Open.Code or Close.Code))
            throw new AmqpException(ErrorConditions.FramingError, $"0x{descriptor:x} where an open is expected");
        if (descriptor == Open.Code)
        {
            var open = Open.Read(ref fields);
            fields.End();
            return open;
        }
        throw new AmqpException(
            Close.Read(ref fields).Error ?? new AmqpError(ErrorConditions.ConnectionForced, "The peer closed at once."));
    }

    private static void Check(Open remote)
    {
        if (remote.MaxFrameSize < Frame.MinMaxSize)
            throw new AmqpException(ErrorConditions.InvalidField, $"open.max-frame-size is below {Frame.MinMaxSize}");
    }

    private static Open OwnOpen(AmqpConnectionOptions options, string? hostName) => new()
    {
        ContainerId = options.ContainerId,
        HostName = hostName,
        MaxFrameSize = options.MaxFrameSize,
        ChannelMax = options.ChannelMax,
        IdleTimeout = options.IdleTimeout > TimeSpan.Zero ? (uint)options.IdleTimeout.TotalMilliseconds : null,
        Properties = options.Properties,
    };
}
