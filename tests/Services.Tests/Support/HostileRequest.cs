using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>A request with a random number of errors.</summary>
internal sealed class HostileRequest
{
    // A few ids, so that requests affect each other's deliveries.
    private static readonly string[] Ids = ["a", "b", "c", "d-1", "e_2", "f.3"];

    private static readonly string[] WrongIds =
    [
        new('x', 101),
        new('x', 4_000),
        "%20",
        "%0A",
        "a%2Fb",
        "a%5Cb",
        "%C3%A9",
        "%F0%9F%9A%81",
        "a%00",
        "%FF",
        "..",
        "%2e%2e",
        "a'--",
        "a;b=c",
        "*",
        "{id}",
        "a\u0301",
    ];

    private static readonly string[] Values =
    [
        "null",
        "true",
        "0",
        "-1",
        "1e400",
        "-1e400",
        "1e-400",
        "9007199254740993",
        "123456789012345678901234567890",
        "0.1e1",
        "\"\"",
        "\" \"",
        "\"\\u0000\"",
        "\"\\u001b[31m\"",
        "\"\\ud800\"",
        "\"\\ud83d\\ude81\"",
        "\"\\u202e\"",
        "\"NaN\"",
        "\"1\"",
        "\"2030-01-31\"",
        "\"2030-01-31T12:00:00\"",
        "\"2030-02-30T12:00:00Z\"",
        "\"2030-01-31T23:59:60Z\"",
        "\"2030-01-31T12:00:00+99:99\"",
        "\"0001-01-01T00:00:00Z\"",
        "\"9999-12-31T23:59:59.9999999Z\"",
        "\"small\"",
        "\"Small, Medium\"",
        "7",
        "{}",
        "[]",
        "[[]]",
        "{\"$ref\":\"#\"}",
        "NaN",
        "'x'",
        "01",
        "",
    ];

    private static readonly string[] Texts =
    [
        "",
        "null",
        "{",
        "[]",
        "{}",
        "{}{}",
        "\"text\"",
        "\uFEFF{}",
        "{\"a\":1,\"a\":1}",
        "<xml/>",
        "{\"\\u0000\":1}",
        $"{new string('[', 2_000)}{new string(']', 2_000)}",
        "\0",
    ];

    private static readonly string[] MediaTypes =
    [
        "application/json",
        "application/json; charset=utf-8",
        "application/json; charset=\"utf-8\"",
        "application/json; charset=utf8",
        "application/json; charset=windows-1252",
        "application/json; charset=",
        "application/json; charset=none",
        "application/json;;",
        "application/merge-patch+json",
        "application/problem+json",
        "application/xml",
        "text/plain",
        "multipart/form-data",
        "multipart/form-data; boundary=x",
        "application/x-www-form-urlencoded",
        "json",
        "*/*",
        "",
    ];

    private static readonly (string Name, string Value)[] OddHeaders =
    [
        ("Accept", "text/html"),
        ("Accept", "application/xml;q=1, */*;q=0"),
        ("Accept", "nonsense"),
        ("Accept-Encoding", "br;q=2"),
        ("If-Match", "*"),
        ("If-Match", "\"1\""),
        ("If-Match", "W/\"1\", \"2\""),
        ("If-Match", "nonsense"),
        ("If-Match", "\""),
        ("If-None-Match", "*"),
        ("If-None-Match", "\"unclosed"),
        ("If-Modified-Since", "yesterday"),
        ("Range", "bytes=0-"),
        ("Content-Encoding", "gzip"),
        ("Content-Encoding", "br"),
        ("Content-Encoding", "x"),
        ("Expect", "100-continue"),
        ("X-Forwarded-For", "::1, nonsense"),
        ("X-Forwarded-Prefix", "//elsewhere.example"),
        ("X-HTTP-Method-Override", "DELETE"),
        ("Authorization", "Bearer x.y.z"),
        ("Authorization", "Basic"),
        ("traceparent", "00-00000000000000000000000000000000-0000000000000000-01"),
        ("traceparent", "nonsense"),
        ("tracestate", "=,=,="),
        ("baggage", "a=%zz;b,,"),
        ("Request-Id", "|.x.y"),
        ("Cookie", "=;=;"),
        ("Confirmation-Token", "nonsense"),
    ];

    private static readonly string[] Methods =
    [
        "GET",
        "HEAD",
        "POST",
        "PUT",
        "PATCH",
        "DELETE",
        "OPTIONS",
        "TRACE",
        "get",
        "QUERY",
    ];

    private static readonly Dictionary<string, object> Samples = new()
    {
        [nameof(DeliveryRequest)] = SampleRequests.Delivery("a") with { DeliveryId = null },
        [nameof(RescheduleRequest)] = new RescheduleRequest { PickupTime = Deliveries.Sample.PickupTime.AddHours(1) },
        [nameof(PackageUpsert)] = Packages.Sample,
        [nameof(PackagePatch)] = new PackagePatch { Weight = 2, Tag = "pens" },
        [nameof(DroneRequest)] = Flights.Sample,
        [nameof(DroneReschedule)] = new DroneReschedule
        {
            PickupTime = Flights.Sample.PickupTime.AddHours(1),
            AcceptedAt = Flights.Sample.PickupTime,
        },
        [nameof(DeliveryUpsert)] = Deliveries.Sample,
        [nameof(DeliveryReschedule)] = new DeliveryReschedule
        {
            DroneId = "light-02",
            FlightPlan = Deliveries.Sample.FlightPlan,
            Revision = 1,
        },
        [nameof(DeliveryConfirmation)] = Deliveries.Confirmation(
            Deliveries.Sample.FlightPlan.DropoffAt,
            ConfirmationType.Picture
        ),
        [nameof(FailedDelivery)] = new FailedDelivery
        {
            OwnerId = "owner-1",
            Failure = new() { Reason = ProblemTypes.NoSuitableDrone, Detail = "No drone can carry 900 kg." },
        },
    };

    private readonly Random _random;
    private readonly List<(string Name, string Value)> _headers = [];
    private string _path;
    private string? _body;
    private string _mediaType = "application/json";

    public HostileRequest(ApiOperation operation, Random random)
    {
        _random = random;
        Operation = operation;
        Method = operation.Method;
        _path = string.Join('/', operation.Path.Split('/').Select(part => part.StartsWith('{') ? Pick(Ids) : part));
        _body = operation.Body is { } schema ? JsonSerializer.Serialize(Samples[schema], ContractJson.Options) : null;
        AddQuery();
        if (random.Next(2) == 0)
            ChangeMember();
        var errors = random.Next(3);
        for (var i = 0; i < errors; i++)
            AddError();
    }

    public ApiOperation Operation { get; }

    public string Method { get; private set; }

    /// <summary>
    /// <c>true</c> if neither the method nor the path was changed, so the request reaches its operation.
    /// </summary>
    public bool ReachesOperation { get; private set; } = true;

    public HttpRequestMessage Message(Uri address)
    {
        var target = new Uri(
            $"{address.GetLeftPart(UriPartial.Authority)}{_path}",
            new UriCreationOptions { DangerousDisablePathAndQueryCanonicalization = true }
        );
        var message = new HttpRequestMessage(new HttpMethod(Method), target);
        if (_body is not null)
        {
            message.Content = new ByteArrayContent(Encoding.UTF8.GetBytes(_body));
            message.Content.Headers.TryAddWithoutValidation("Content-Type", _mediaType);
        }
        foreach (var (name, value) in _headers)
        {
            HttpHeaders headers = name.StartsWith("Content-", StringComparison.Ordinal)
                ? (message.Content ??= new ByteArrayContent([])).Headers
                : message.Headers;
            headers.TryAddWithoutValidation(name, value);
        }
        return message;
    }

    public override string ToString()
    {
        var headers = string.Concat(_headers.Select(header => $"\n{header.Name}: {header.Value}"));
        return $"{Method} {Cut(_path)}\nContent-Type: {_mediaType}{headers}\n\n{Cut(_body ?? "")}";
    }

    private static string Cut(string text) => text.Length <= 2_000 ? text : text[..2_000] + "…";

    private T Pick<T>(IReadOnlyList<T> values) => values[_random.Next(values.Count)];

    private void AddQuery()
    {
        string[] values = ["a", "1", "2030", "owner-1", "0", "-1", "99999999999", "", "%0A", "%zz", "1e9"];
        foreach (var name in Operation.QueryParameters.Where(_ => _random.Next(4) != 0))
            AddParameter(name, Pick(values));
    }

    private void AddParameter(string name, string value) =>
        _path += $"{(_path.Contains('?') ? '&' : '?')}{name}={value}";

    private void AddError()
    {
        switch (_random.Next(_body is null ? 5 : 7))
        {
            case 0:
                _headers.Add(Pick(OddHeaders));
                break;
            case 1:
                Method = Pick(Methods);
                ReachesOperation = false;
                break;
            case 2:
                ChangePath();
                break;
            case 3:
                AddParameter(
                    Pick(["x", "ownerId", "acceptance", "id", ""]),
                    Pick(["", "%00", "%0D%0A", "a", "%F0%9F"])
                );
                break;
            case 4:
                _body = Pick(Texts);
                break;
            case 5:
                _mediaType = Pick(MediaTypes);
                break;
            default:
                _body = _body?[.._random.Next(_body.Length + 1)];
                break;
        }
    }

    private void ChangePath()
    {
        var parameter = Operation.Path.IndexOf('{');
        if (parameter < 0)
            return;
        _path = Operation.Path[..parameter] + Pick(WrongIds) + Operation.Path[Operation.Path.IndexOf('}')..][1..];
        _path = _path.Replace("{request}", "r:1", StringComparison.Ordinal);
        ReachesOperation = false;
    }

    /// <summary>Removes, duplicates, or replaces a property of the body at any depth, or adds an unknown one.</summary>
    private void ChangeMember()
    {
        if (_body is null)
            return;
        var body = JsonNode.Parse(_body)!.AsObject();
        var owner = body;
        while (owner.Select(member => member.Value).OfType<JsonObject>().ToList() is { Count: > 0 } inner)
        {
            if (_random.Next(2) == 0)
                break;
            owner = Pick(inner);
        }
        var name = Pick(owner.Select(member => member.Key).ToList());
        const string Place = "here-is-the-error";
        switch (_random.Next(6))
        {
            case 0:
                owner.Remove(name);
                _body = body.ToJsonString();
                break;
            case 1:
                owner["unknown"] = 1;
                _body = body.ToJsonString();
                break;
            case 2:
                owner[Place] = Place;
                _body = body.ToJsonString().Replace($"\"{Place}\":\"{Place}\"", $"\"{name}\":{Pick(Values)}");
                break;
            case 3:
                owner[name] = new string(Pick(['a', '\u0001', 'é']), Pick([101, 1_001, 70_000]));
                _body = body.ToJsonString();
                break;
            default:
                owner[name] = Place;
                _body = body.ToJsonString().Replace($"\"{Place}\"", Pick(Values), StringComparison.Ordinal);
                break;
        }
    }
}
