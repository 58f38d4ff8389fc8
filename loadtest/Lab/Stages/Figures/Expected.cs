using System.Text.Json;
using System.Text.Json.Serialization;

namespace DroneDelivery.Lab.Stages;

/// <summary>What a figure is predicted to be.</summary>
/// <param name="Value">Null: only bounds are predicted.</param>
/// <param name="Bounds">Where it may be; null: as far from the value as two equal runs may be.</param>
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

/// <summary>How a measured figure agrees with its prediction.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<Agreement>))]
internal enum Agreement
{
    /// <summary>Within what two equal runs may differ by.</summary>
    [JsonStringEnumMemberName("as predicted")]
    AsPredicted,

    [JsonStringEnumMemberName("lower")]
    Lower,

    [JsonStringEnumMemberName("higher")]
    Higher,

    /// <summary>What was predicted did not happen: no queue that became empty, no error that came first.</summary>
    [JsonStringEnumMemberName("did not happen")]
    NotMeasured,
}

internal static class AgreementText
{
    /// <summary>As people read it, and as run.json has it.</summary>
    public static string Of(Agreement? agreement) =>
        agreement is null ? "" : JsonSerializer.Serialize(agreement).Trim('"');
}
