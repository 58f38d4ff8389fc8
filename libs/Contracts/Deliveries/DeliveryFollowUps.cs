using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Contracts;

/// <summary>Body of <c>POST /api/deliveries/{id}/notifymerequests</c>; at least one of the two.</summary>
public sealed record NotifyMeRequest : IValidatableObject
{
    [EmailAddress, StringLength(254)]
    public string? EmailAddress { get; init; }

    /// <summary>Telephone number.</summary>
    [Phone, StringLength(32)]
    public string? Sms { get; init; }

    public IEnumerable<ValidationResult> Validate(ValidationContext validationContext)
    {
        if (EmailAddress is null && Sms is null)
            yield return new ValidationResult("Give an emailAddress, an sms number, or both.", [nameof(EmailAddress)]);
    }
}

/// <summary>Body of <c>POST /api/deliveries/{id}/confirmations</c>: the receiver has the package.</summary>
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
