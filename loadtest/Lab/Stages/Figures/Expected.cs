using System.Text.Json;
using System.Text.Json.Serialization;

namespace DroneDelivery.Lab.Stages;

/// <summary>The prediction for a metric.</summary>
/// <param name="Value"><c>null</c> if only bounds are predicted.</param>
/// <param name="Bounds"><c>null</c> for the noise between equal runs.</param>
internal sealed record Expected(double? Value, Band? Bounds = null)
{
    public Band BandOf(Figure figure, double measured) => Bounds ?? figure.Around(Value ?? double.NaN, measured);

    public Agreement Compare(Figure figure, double measured) =>
        BandOf(figure, measured) switch
        {
            _ when double.IsNaN(measured) => Agreement.NotMeasured,
            var band when band.Contains(measured) => Agreement.AsPredicted,
            { Min: { } min } when measured < min => Agreement.Lower,
            _ => Agreement.Higher,
        };
}

[JsonConverter(typeof(JsonStringEnumConverter<Agreement>))]
internal enum Agreement
{
    /// <summary>Within the noise between equal runs.</summary>
    [JsonStringEnumMemberName("as predicted")]
    AsPredicted,

    [JsonStringEnumMemberName("lower")]
    Lower,

    [JsonStringEnumMemberName("higher")]
    Higher,

    /// <summary>A predicted event, such as an empty queue, didn't happen.</summary>
    [JsonStringEnumMemberName("did not happen")]
    NotMeasured,
}

internal static class AgreementText
{
    /// <summary>Returns the text for people and run.json.</summary>
    public static string Of(Agreement? agreement) =>
        agreement is null ? "" : JsonSerializer.Serialize(agreement).Trim('"');
}
