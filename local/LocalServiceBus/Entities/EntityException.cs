namespace DroneDelivery.LocalServiceBus.Entities;

public enum EntityFailure
{
    AlreadyExists,
    NotFound,
    InvalidOption,
    QuotaExceeded,

    /// <summary>See <see cref="Queue.Failure"/>.</summary>
    Failed,
}

/// <summary>An operation on an entity that cannot be done; the message names the entity or the option and the way out.</summary>
public sealed class EntityException(EntityFailure failure, string message) : Exception(message)
{
    public EntityFailure Failure { get; } = failure;
}
