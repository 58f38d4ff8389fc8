using System.Globalization;
using System.Text;
using System.Text.Json.Serialization;
using DroneDelivery.Contracts;

namespace DroneDelivery.Delivery;

/// <summary>The value of the key of a delivery: the delivery, or in its place why its request has failed.</summary>
internal abstract record StoredRequest
{
    /// <summary>Of the delivery request. Null: its producer did not say.</summary>
    public string? Fingerprint { get; init; }

    /// <summary>Of the delivery request: how often it had been sent again before.</summary>
    public int Attempt { get; init; }

    /// <summary>Whether the id belongs to another request than the one with this fingerprint.</summary>
    public bool IsOtherThan(string? fingerprint) =>
        (Fingerprint, fingerprint) is ({ } mine, { } other) && mine != other;
}

/// <summary>Stored in place of a delivery: its request has failed, and older attempts of it that come late are refused.</summary>
internal sealed record StoredFailure : StoredRequest
{
    /// <summary>Of the JSON, and of no delivery's.</summary>
    public const string Beginning = """{"failure":""";

    [JsonPropertyOrder(-1)]
    public required DeliveryFailure Failure { get; init; }

    public required string OwnerId { get; init; }

    public static bool IsIn(ReadOnlySpan<byte> json) =>
        json.Length > Beginning.Length && Ascii.Equals(json[..Beginning.Length], Beginning);
}

/// <summary>A delivery as it is stored.</summary>
internal sealed record StoredDelivery : StoredRequest
{
    public required DeliveryDetails Delivery { get; init; }

    /// <summary>Fingerprint of the PUT that made it.</summary>
    public required string Request { get; init; }

    /// <summary>When the delivery request was accepted, if its producer said so.</summary>
    public DateTimeOffset? AcceptedAt { get; init; }

    /// <summary>Of the drone's assignment that the delivery follows.</summary>
    public int Revision { get; init; }

    /// <summary>When the newest change of its deadline was accepted, if somebody said so.</summary>
    public DateTimeOffset? DeadlineAcceptedAt { get; init; }

    /// <summary>How it ended, if somebody said so: cancelled, or completed by a confirmation. Nothing changes after that.</summary>
    public DeliveryEvent? Closed { get; init; }
}

internal static class RedisKeys
{
    public static string Delivery(string id) => $"delivery:{id}";

    public static string Events(string id) => $"delivery:{id}:events";

    public static string Confirmation(string id) => $"delivery:{id}:confirmation";

    /// <summary>The ids of an owner's deliveries by the month (UTC) of their pickup time.</summary>
    public static string Month(string ownerId, int year, int month) =>
        string.Create(CultureInfo.InvariantCulture, $"owner:{ownerId}:{year}-{month:00}");

    /// <summary>Of a failed request, which counts in no month, a key that nobody uses.</summary>
    public static string Month(StoredRequest? stored)
    {
        if (stored is not StoredDelivery { Delivery: var delivery })
            return "owner:";
        var pickup = delivery.PickupTime.ToUniversalTime();
        return Month(delivery.OwnerId, pickup.Year, pickup.Month);
    }
}
