using System.ComponentModel.DataAnnotations;
using System.Text.Json.Serialization;

namespace DroneDelivery.Contracts;

/// <summary>Body of <c>POST /api/deliveries/{id}/confirmations</c>: the receiver has the package.</summary>
[JsonUnmappedMemberHandling(JsonUnmappedMemberHandling.Disallow)]
public sealed record DeliveryConfirmation
{
    [FlightTime]
    public required DateTimeOffset Time { get; init; }

    public required Location GeoCoordinates { get; init; }

    public required ConfirmationType ConfirmationType { get; init; }

    /// <summary>The fingerprint, picture or voice, as the device encodes it.</summary>
    [StringLength(256 * 1024)]
    public string? ConfirmationBlob { get; init; }
}
