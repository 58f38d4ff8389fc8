using System.Globalization;
using DroneDelivery.Contracts;

namespace DroneDelivery.Delivery;

/// <summary>The value of the key of a delivery.</summary>
internal sealed record StoredDelivery
{
    public required DeliveryDetails Delivery { get; init; }

    /// <summary>Fingerprint of the PUT that made it.</summary>
    public required string Request { get; init; }

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

    public static string NotifyMe(string id) => $"delivery:{id}:notify";

    public static string Confirmation(string id) => $"delivery:{id}:confirmation";

    /// <summary>The ids of an owner's deliveries by the month (UTC) of their pickup time.</summary>
    public static string Month(string ownerId, int year, int month) =>
        string.Create(CultureInfo.InvariantCulture, $"owner:{ownerId}:{year}-{month:00}");

    public static string Month(DeliveryDetails delivery)
    {
        var pickup = delivery.PickupTime.ToUniversalTime();
        return Month(delivery.OwnerId, pickup.Year, pickup.Month);
    }
}
