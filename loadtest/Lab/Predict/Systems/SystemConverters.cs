using System.Text.Json;
using System.Text.Json.Serialization;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model;

namespace DroneDelivery.Lab.Predict;

/// <summary>Reads seconds: a number, or a string such as <c>5m</c>.</summary>
internal sealed class SecondsConverter : JsonConverter<double>
{
    private static readonly Knob Any = new("", KnobUnit.Seconds, 0, double.MaxValue, "", "");

    public override double Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        reader.TokenType == JsonTokenType.Number && reader.GetDouble() is >= 0 and var seconds ? seconds
        : reader.TokenType == JsonTokenType.String && KnobText.Read(Any, reader.GetString()!) is { Number: >= 0 } read
            ? read.Number
        : throw new JsonException("expected seconds, or a string such as 500ms or 5m");

    public override void Write(Utf8JsonWriter writer, double value, JsonSerializerOptions options) =>
        writer.WriteNumberValue(value);
}

/// <summary>Reads milliseconds: a number or a distribution.</summary>
internal sealed class TimesConverter : JsonConverter<Times>
{
    private const string Expected =
        "expected milliseconds, or one of { \"p50\": 12, \"p95\": 17 }, { \"exponential\": 20 }, { \"samples\": [11, 14] }, "
        + "{ \"mu\": 2.5, \"sigma\": 0.2 }";

    public override Times Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        if (reader.TokenType == JsonTokenType.Number)
        {
            return reader.GetDouble() is >= 0 and var always
                ? new FixedTime(always)
                : throw new JsonException(Expected);
        }

        if (reader.TokenType != JsonTokenType.StartObject)
            throw new JsonException(Expected);
        return FormOf(ref reader, options) switch
        {
            ({ Count: > 0 } samples, null, null, null, null, null) when samples.All(sample => sample >= 0) =>
                new MeasuredTime(samples),
            (null, > 0 and var p50, { } p95, null, null, null) when p95 >= p50 => LogNormal.OfPercentiles(p50, p95),
            (null, null, null, { } mu, >= 0 and var sigma, null) => new LogNormal(mu, sigma),
            (null, null, null, null, null, > 0 and var mean) => new ExponentialTime(mean),
            _ => throw new JsonException(Expected),
        };
    }

    public override void Write(Utf8JsonWriter writer, Times value, JsonSerializerOptions options) =>
        throw new NotSupportedException();

    // The exception for an unknown field doesn't know its line.
    private static Form? FormOf(ref Utf8JsonReader reader, JsonSerializerOptions options)
    {
        try
        {
            return JsonSerializer.Deserialize<Form>(ref reader, options);
        }
        catch (JsonException)
        {
            throw new JsonException(Expected);
        }
    }

    private sealed record Form(
        IReadOnlyList<double>? Samples = null,
        double? P50 = null,
        double? P95 = null,
        double? Mu = null,
        double? Sigma = null,
        double? Exponential = null
    );
}

/// <summary>Reads a step: the name of a service, or an array of services to call concurrently.</summary>
internal sealed class StepConverter : JsonConverter<SystemStep>
{
    public override SystemStep Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        using var document = JsonDocument.ParseValue(ref reader);
        var it = document.RootElement;
        JsonElement[] names = it.ValueKind == JsonValueKind.Array ? [.. it.EnumerateArray()] : [it];
        return names.Length > 0 && Array.TrueForAll(names, name => name.ValueKind == JsonValueKind.String)
            ? new([.. names.Select(name => name.GetString()!)])
            : throw new JsonException("expected the name of a service, or an array of names to call concurrently");
    }

    public override void Write(Utf8JsonWriter writer, SystemStep value, JsonSerializerOptions options) =>
        throw new NotSupportedException();
}
