using System.ComponentModel.DataAnnotations;
using System.Text.Json.Serialization;

namespace DroneDelivery.Contracts;

/// <summary>Body of <c>POST /api/deliveries/{id}/confirmations</c>.</summary>
[JsonUnmappedMemberHandling(JsonUnmappedMemberHandling.Disallow)]
public sealed record DeliveryConfirmation
{
    [FlightTime]
    public required DateTimeOffset Time { get; init; }

    public required Location GeoCoordinates { get; init; }

    public required ConfirmationType ConfirmationType { get; init; }

    /// <summary>The fingerprint, picture, or voice recording, in the device's encoding.</summary>
    [StringLength(256 * 1024)]
    public string? ConfirmationBlob { get; init; }
}
