namespace DroneDelivery.Amqp;

/// <summary>The SASL layer: mechanisms, init, outcome (AMQP 1.0 §5.3).</summary>
internal static class SaslExchange
{
    // The first is what .NET clients of Service Bus insist on; the others serve clients that bring no claims.
    private static readonly Symbol[] Offered = ["MSSBCBS", "PLAIN", "ANONYMOUS"];

    private const byte Ok = 0;
    private const byte AuthenticationFailed = 1;

    /// <summary>The client's header has been read. False when it was not let in.</summary>
    public static async Task<bool> AsServerAsync(
        HandshakePipe pipe, Func<SaslInit, bool>? authenticate, CancellationToken cancellationToken)
    {
        await pipe.WriteAsync(ProtocolHeader.Sasl, cancellationToken);
        await pipe.WriteFrameAsync(Frame.SaslType, new SaslMechanisms(Offered), cancellationToken);
        var init = await pipe.ReadFrameAsync(ReadInit, cancellationToken);
        var welcome = Offered.Contains(init.Mechanism) && authenticate?.Invoke(init) != false;
        await pipe.WriteFrameAsync(Frame.SaslType, new SaslOutcome(welcome ? Ok : AuthenticationFailed), cancellationToken);
        return welcome;
    }

    private static SaslInit ReadInit(byte type, ulong descriptor, ref FieldReader fields)
    {
        if (type != Frame.SaslType || descriptor != SaslInit.Code)
            throw new AmqpException(ErrorConditions.FramingError, $"0x{descriptor:x} where the SASL exchange has 0x{SaslInit.Code:x}");
        return SaslInit.Read(ref fields);
    }
}
