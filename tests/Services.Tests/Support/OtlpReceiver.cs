using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>
/// Receives OTLP over <c>http/protobuf</c> and <c>grpc</c>, each on its own port, and decodes the parts that tests
/// check.
/// </summary>
internal sealed class OtlpReceiver : FakeServer
{
    /// <summary>Without TLS, a port supports only one protocol: HTTP/1.1 or HTTP/2.</summary>
    private OtlpReceiver()
        : base(
            LocalServer.Build(builder =>
                builder.WebHost.ConfigureKestrel(kestrel =>
                    kestrel.Listen(IPAddress.Loopback, 0, port => port.Protocols = HttpProtocols.Http2)
                )
            )
        )
    {
        App.MapPost("/v1/{signal}", TakeAsync);
        App.MapPost("/opentelemetry.proto.collector.{service}/Export", TakeGrpcAsync);
    }

    public ConcurrentQueue<OtlpSpan> Spans { get; } = new();

    public ConcurrentQueue<OtlpMetric> Metrics { get; } = new();

    public ConcurrentQueue<OtlpLog> Logs { get; } = new();

    /// <summary>
    /// Settings of a service that exports here. The interval of metrics is short, so that tests don't wait.
    /// </summary>
    public Dictionary<string, string?> Settings => SettingsOf("http/protobuf", Address);

    public Dictionary<string, string?> GrpcSettings => SettingsOf("grpc", App.Urls.Last());

    public static Task<OtlpReceiver> StartAsync() => StartAsync(new OtlpReceiver());

    public OtlpMetric? Metric(string service, string name) =>
        Metrics.LastOrDefault(metric => metric.Service == service && metric.Name == name);

    private static Dictionary<string, string?> SettingsOf(string protocol, string address) =>
        new()
        {
            ["OTEL_EXPORTER_OTLP_ENDPOINT"] = address,
            ["OTEL_EXPORTER_OTLP_PROTOCOL"] = protocol,
            ["OTEL_METRIC_EXPORT_INTERVAL"] = "500",
            ["OTEL_EXPORTER_OTLP_TIMEOUT"] = "60000", // Accepts late uploads of a busy machine.
            ["OTEL_BSP_SCHEDULE_DELAY"] = "200",
            ["OTEL_BLRP_SCHEDULE_DELAY"] = "200",
        };

    private async Task TakeAsync(string signal, HttpContext context)
    {
        Keep(signal, await BodyAsync(context.Request));
        context.Response.ContentType = "application/x-protobuf";
    }

    /// <summary>Reads and writes one message, after five bytes: the compression flag (0) and the length.</summary>
    private async Task TakeGrpcAsync(string service, HttpContext context)
    {
        var body = await BodyAsync(context.Request);
        Assert.Equal(BinaryPrimitives.ReadInt32BigEndian(body.AsSpan(1)), body.Length - 5);
        Keep(service.Split('.')[0] is "trace" ? "traces" : service.Split('.')[0], body.AsMemory(5));
        context.Response.ContentType = "application/grpc";
        context.Response.DeclareTrailer("grpc-status");
        await context.Response.Body.WriteAsync(new byte[5]);
        context.Response.AppendTrailer("grpc-status", "0");
    }

    private static async Task<byte[]> BodyAsync(HttpRequest request)
    {
        using var body = new MemoryStream();
        await request.Body.CopyToAsync(body, Cancelled);
        return body.ToArray();
    }

    private void Keep(string signal, ReadOnlyMemory<byte> body)
    {
        foreach (var source in new ProtobufMessage(body).Messages(1))
        {
            var resource = Attributes(source.Message(1), 1);
            foreach (var scope in source.Messages(2))
            {
                foreach (var item in scope.Messages(2))
                    Keep(signal, resource, item);
            }
        }
    }

    private void Keep(string signal, IReadOnlyDictionary<string, string> resource, ProtobufMessage item)
    {
        switch (signal)
        {
            case "traces":
                Spans.Enqueue(
                    new(
                        resource,
                        item.Hex(1),
                        item.Hex(2),
                        item.Hex(4),
                        item.Text(5),
                        (int)item.Number(6),
                        Attributes(item, 9)
                    )
                );
                break;
            case "metrics":
                Metrics.Enqueue(new(resource, item.Text(1), item.Text(3), [.. PointsOf(item)]));
                break;
            case "logs":
                Logs.Enqueue(new(resource, item.Message(5).Text(1), item.Hex(9)));
                break;
            default:
                throw new FormatException($"OTLP has no signal '{signal}'.");
        }
    }

    private static IEnumerable<OtlpPoint> PointsOf(ProtobufMessage metric)
    {
        const int gauge = 5,
            sum = 7,
            histogram = 9;
        foreach (var point in metric.Message(histogram).Messages(1))
            yield return new(Attributes(point, 9), (long)point.Number(4));
        foreach (var point in metric.Message(gauge).Messages(1).Concat(metric.Message(sum).Messages(1)))
            yield return new(Attributes(point, 7), 1);
    }

    private static Dictionary<string, string> Attributes(ProtobufMessage message, int number) =>
        message
            .Messages(number)
            .GroupBy(pair => pair.Text(1))
            .ToDictionary(pairs => pairs.Key, pairs => TextOf(pairs.Last().Message(2)));

    private static string TextOf(ProtobufMessage value) =>
        value.Has(1)
            ? value.Text(1)
            : ((long)value.Number(value.Has(2) ? 2 : 3)).ToString(CultureInfo.InvariantCulture);
}

internal sealed record OtlpSpan(
    IReadOnlyDictionary<string, string> Resource,
    string TraceId,
    string SpanId,
    string ParentId,
    string Name,
    int Kind,
    IReadOnlyDictionary<string, string> Attributes
)
{
    public string Service => Resource["service.name"];
}

internal sealed record OtlpMetric(
    IReadOnlyDictionary<string, string> Resource,
    string Name,
    string Unit,
    IReadOnlyList<OtlpPoint> Points
)
{
    public string Service => Resource["service.name"];
}

/// <param name="Count">The number of measurements of a histogram; otherwise, the value.</param>
internal sealed record OtlpPoint(IReadOnlyDictionary<string, string> Attributes, long Count);

internal sealed record OtlpLog(IReadOnlyDictionary<string, string> Resource, string Body, string TraceId)
{
    public string Service => Resource["service.name"];
}

internal sealed class ProtobufMessage
{
    private readonly List<(int Number, ulong Value, ReadOnlyMemory<byte> Bytes)> _fields = [];

    public ProtobufMessage(ReadOnlyMemory<byte> message)
    {
        for (var at = 0; at < message.Length; )
        {
            var tag = Varint(message.Span, ref at);
            var (number, type) = ((int)(tag >> 3), tag & 7);
            switch (type)
            {
                case 0:
                    _fields.Add((number, Varint(message.Span, ref at), default));
                    break;
                case 1:
                    _fields.Add((number, BinaryPrimitives.ReadUInt64LittleEndian(message.Span[at..]), default));
                    at += 8;
                    break;
                case 2:
                    var length = (int)Varint(message.Span, ref at);
                    _fields.Add((number, 0, message.Slice(at, length)));
                    at += length;
                    break;
                case 5:
                    at += 4; // No test reads this type.
                    break;
                default:
                    throw new FormatException($"Field {number} has the unknown wire type {type}.");
            }
        }
    }

    public bool Has(int number) => _fields.Exists(field => field.Number == number);

    public ulong Number(int number) => _fields.Find(field => field.Number == number).Value;

    public ReadOnlyMemory<byte> Bytes(int number) => _fields.Find(field => field.Number == number).Bytes;

    public string Text(int number) => Encoding.UTF8.GetString(Bytes(number).Span);

    public string Hex(int number) => Convert.ToHexStringLower(Bytes(number).Span);

    public ProtobufMessage Message(int number) => new(Bytes(number));

    public IEnumerable<ProtobufMessage> Messages(int number) =>
        _fields.Where(field => field.Number == number).Select(field => new ProtobufMessage(field.Bytes));

    private static ulong Varint(ReadOnlySpan<byte> bytes, ref int at)
    {
        ulong value = 0;
        for (var shift = 0; ; shift += 7)
        {
            var part = bytes[at++];
            value |= (ulong)(part & 0x7F) << shift;
            if (part < 0x80)
                return value;
        }
    }
}
