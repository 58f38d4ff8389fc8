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

    /// <summary>SDKs look for these words.</summary>
    internal static string NotFoundText(string entity) =>
        $"The messaging entity '{Excerpt.Of(entity)}' could not be found.";

    internal static EntityException NotFound(string entity) => new(EntityFailure.NotFound, NotFoundText(entity));
}

/// <summary>What an error message repeats of a client's own words: enough to recognize them, whatever their length.</summary>
internal static class Excerpt
{
    private const int Longest = 100;

    public static string Of(string text, int longest = Longest) =>
        text.Length <= longest ? text : $"{text[..longest]}…";
}
