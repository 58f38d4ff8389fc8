using System.Buffers.Text;
using System.Security.Cryptography;
using System.Text;
using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults.Idempotency;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

public sealed class FingerprintTests
{
    [Fact]
    public void New_property_changes_the_fingerprint_only_when_used()
    {
        var today = Fingerprint.Compute(new Today { Id = "x", Size = PackageSize.Small });
        var later = new Later { Id = "x", Size = PackageSize.Small };

        Assert.Equal(today, Fingerprint.Compute(later));
        Assert.Equal(
            6,
            new[]
            {
                today,
                Fingerprint.Compute(later with { Flag = true }),
                Fingerprint.Compute(later with { Number = 1 }),
                Fingerprint.Compute(later with { Kind = ConfirmationType.Voice }),
                Fingerprint.Compute(later with { Time = DateTimeOffset.UnixEpoch }),
                Fingerprint.Compute(later with { Text = "" }),
            }
                .Distinct()
                .Count()
        );
    }

    [Fact]
    public void Required_properties_are_always_included_and_times_are_UTC() =>
        Assert.Equal(
            OfJson("""{"Id":"x","Size":0,"Time":"2030-01-01T09:00:00+00:00"}"""),
            Fingerprint.Compute(
                new Later
                {
                    Id = "x",
                    Size = PackageSize.Small,
                    Time = new DateTimeOffset(2030, 1, 1, 10, 0, 0, TimeSpan.FromHours(1)),
                }
            )
        );

    /// <summary>Returns the fingerprint of a JSON text, in the format that every version has stored.</summary>
    internal static string OfJson(string json) =>
        Base64Url.EncodeToString(SHA256.HashData(Encoding.UTF8.GetBytes(json)).AsSpan(0, 16));

    private sealed record Today
    {
        public required string Id { get; init; }

        public required PackageSize Size { get; init; }
    }

    private sealed record Later
    {
        public required string Id { get; init; }

        public required PackageSize Size { get; init; }

        public bool Flag { get; init; }

        public int Number { get; init; }

        public ConfirmationType Kind { get; init; }

        public DateTimeOffset Time { get; init; }

        public string? Text { get; init; }
    }
}
