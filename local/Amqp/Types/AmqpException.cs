namespace DroneDelivery.Amqp;

/// <summary>A protocol error, ours or the peer's.</summary>
#pragma warning disable CA1032 // Without an error there is nothing to throw: the usual constructors would only make that possible.
public sealed class AmqpException(AmqpError error, Exception? inner = null)
    : Exception(error.Description is null ? error.Condition.Value : $"{error.Condition}: {error.Description}", inner)
{
    internal AmqpException(string condition, string description) : this(new AmqpError(condition, description)) { }

    public AmqpError Error { get; } = error;

    /// <summary>The session in which it happened ends, the connection goes on.</summary>
    internal bool EndsSession { get; init; }
}
