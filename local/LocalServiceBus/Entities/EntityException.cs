namespace DroneDelivery.LocalServiceBus.Entities;

public enum EntityFailure
{
    AlreadyExists,
    NotFound,
    InvalidOption,
    QuotaExceeded,

    Failed,
}

/// <summary>The exception that is thrown when an operation on an entity is invalid. The message names the entity or
/// option.</summary>
public sealed class EntityException(EntityFailure failure, string message) : Exception(message)
{
    public EntityFailure Failure { get; } = failure;

    /// <summary>The words that SDKs search for.</summary>
    internal static string NotFoundText(string entity) =>
        $"The messaging entity '{Excerpt.Of(entity)}' could not be found.";

    internal static EntityException NotFound(string entity) => new(EntityFailure.NotFound, NotFoundText(entity));
}

/// <summary>Truncates client text for error messages.</summary>
internal static class Excerpt
{
    private const int MaxLength = 100;

    public static string Of(string text, int longest = MaxLength) =>
        text.Length <= longest ? text : $"{text[..longest]}…";
}
