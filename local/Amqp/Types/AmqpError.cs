namespace DroneDelivery.Amqp;

/// <summary>The error of a close, end, detach, or rejected outcome (AMQP 1.0 §2.8.14).</summary>
public sealed record AmqpError(Symbol Condition, string? Description = null, Dictionary<Symbol, object?>? Info = null)
    : IComposite
{
    internal const ulong Code = 0x1d;

    public void Write(AmqpWriter writer) => writer.WriteFields(Code, Condition, Description, Info);

    internal static AmqpError Read(ulong descriptor, ref FieldReader fields) =>
        descriptor == Code
            ? new(fields.Symbol() ?? throw FieldReader.Missing("error.condition"), fields.String(), fields.Map())
            : throw new AmqpException(ErrorConditions.DecodeError, "expected an error");
}

#pragma warning disable CA1032 // The standard constructors would allow exceptions without an error.
public sealed class AmqpException(AmqpError error)
    : Exception(error.Description is null ? error.Condition.Value : $"{error.Condition}: {error.Description}")
{
    public AmqpException(string condition, string description)
        : this(new AmqpError(condition, description)) { }

    public AmqpError Error { get; } = error;

    /// <summary><c>true</c> if the error ends only the session.</summary>
    internal bool EndsSession { get; init; }
}
