using System.Globalization;
using System.Text;
using System.Text.Json.Serialization;
using DroneDelivery.Contracts;

namespace DroneDelivery.Delivery;

/// <summary>The stored delivery, or the failure of its request.</summary>
internal abstract record StoredRequest
{
    /// <summary>Fingerprint of the delivery request; <c>null</c> if the producer sent none.</summary>
    public string? Fingerprint { get; init; }

    /// <summary>Number of times an operator has resent the delivery request.</summary>
    public int Attempt { get; init; }

    public bool IsOtherThan(string? fingerprint) =>
        (Fingerprint, fingerprint) is ({ } mine, { } other) && mine != other;
}

internal sealed record StoredFailure : StoredRequest
{
    /// <summary>JSON prefix that only a stored failure has.</summary>
    public const string JsonPrefix = """{"failure":""";

    [JsonPropertyOrder(-1)]
    public required DeliveryFailure Failure { get; init; }

    public required string OwnerId { get; init; }

    public static bool IsIn(ReadOnlySpan<byte> json) =>
        json.Length > JsonPrefix.Length && Ascii.Equals(json[..JsonPrefix.Length], JsonPrefix);
}

internal sealed record StoredDelivery : StoredRequest
{
    public required DeliveryDetails Delivery { get; init; }

    /// <summary>Fingerprint of the PUT that created the delivery.</summary>
    public required string Request { get; init; }

    /// <summary>Acceptance time of the delivery request; <c>null</c> if unknown.</summary>
    public DateTimeOffset? AcceptedAt { get; init; }

    public int Revision { get; init; }

    /// <summary>Acceptance time of the deadline's latest change; <c>null</c> if unknown.</summary>
    public DateTimeOffset? DeadlineAcceptedAt { get; init; }

    /// <summary>The cancellation or confirmation; <c>null</c> if there is none.</summary>
    public DeliveryEvent? Closed { get; init; }
}

internal static class RedisKeys
{
    public static string Delivery(string id) => $"delivery:{id}";

    public static string Events(string id) => $"delivery:{id}:events";

    public static string Confirmation(string id) => $"delivery:{id}:confirmation";

    /// <summary>Set of an owner's deliveries with a pickup time in one month (UTC).</summary>
    public static string Month(string ownerId, int year, int month) =>
        string.Create(CultureInfo.InvariantCulture, $"owner:{ownerId}:{year}-{month:00}");

    /// <summary>Returns an unused key for a failed request.</summary>
    public static string Month(StoredRequest? stored)
    {
        if (stored is not StoredDelivery { Delivery: var delivery })
            return "owner:";
        var pickup = delivery.PickupTime.ToUniversalTime();
        return Month(delivery.OwnerId, pickup.Year, pickup.Month);
    }
}
