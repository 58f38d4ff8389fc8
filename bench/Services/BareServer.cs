using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using StackExchange.Redis;
using Yarp.ReverseProxy.Configuration;

namespace DroneDelivery.Bench.Services;

/// <summary>
/// The baseline servers. Each does the same work as its service with the same libraries, without validation, fingerprints, timeouts,
/// metrics or logging.
/// </summary>
internal static class BareServer
{
    public const string Ingestion = "ingestion",
        Delivery = "delivery",
        Gateway = "gateway",
        Backend = "backend";

    /// <summary>The script in which Delivery stores a new delivery.</summary>
    public const string Script = """
        local life = tonumber(ARGV[1])
        local function live(key)
            if life > 0 then redis.call('PEXPIRE', key, life) else redis.call('PERSIST', key) end
        end
        local function add_to(month, id)
            local left = redis.call('PTTL', month)
            redis.call('SADD', month, id)
            if life == 0 or left == -2 or (left >= 0 and left < life) then live(month) end
        end
        local function tell(events, what)
            redis.call('RPUSH', events, what)
            redis.call('LTRIM', events, -100, -1)
        end
        local stored = redis.call('GET', KEYS[1])
        if stored then return stored end
        redis.call('SET', KEYS[1], ARGV[2])
        tell(KEYS[2], ARGV[3])
        add_to(KEYS[3], ARGV[4])
        live(KEYS[1])
        live(KEYS[2])
        return false
        """;

    // As long as a real one.
    private const string Fingerprint = "0123456789abcdefghijkl";

    private static readonly TimeSpan Life = TimeSpan.FromDays(30);

    public static Command Command()
    {
        var kind = new Argument<string>("kind");
        kind.AcceptOnlyFromAmong(Ingestion, Delivery, Gateway, Backend);
        var upstream = new Argument<string>("upstream") { DefaultValueFactory = _ => "" };
        var command = new Command("bare", "A baseline server for the comparison with a service.") { kind, upstream };
        command.Hidden = true;
        command.SetAction(
            (parsed, stopping) => ServeAsync(parsed.GetValue(kind)!, parsed.GetValue(upstream)!, stopping)
        );
        return command;
    }

    public static Task<Server> StartAsync(Comparison comparison, string kind, string upstream = "") =>
        comparison.StartAsync(ChildProcess.OwnProgram("Bench"), ["bare", kind, upstream]);

    private static async Task ServeAsync(string kind, string upstream, CancellationToken stopping)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.Services.ConfigureHttpJsonOptions(options => ContractJson.Configure(options.SerializerOptions));
        if (kind == Gateway)
            AddProxy(builder, upstream);
        await using var app = builder.Build();
        await using var bus = kind == Ingestion ? new ServiceBusClient(upstream) : null;
        await using var redis = kind == Delivery ? await ConnectionMultiplexer.ConnectAsync(upstream) : null;
        if (bus?.CreateSender("delivery-requests") is { } sender)
        {
            app.MapPost("/api/deliveryrequests", (DeliveryRequest request) => SendAsync(request, sender));
        }
        else if (redis is not null)
        {
            app.MapPut("/api/deliveries/{id}", (string id, DeliveryUpsert request) =>
                StoreAsync(id, request, redis.GetDatabase())
            );
        }
        else if (kind == Gateway)
        {
            app.MapReverseProxy();
        }
        else
        {
            app.Run(AnswerAsync);
        }
        await ((IHost)app).RunAsync(stopping);
    }

    private static async Task<IResult> SendAsync(DeliveryRequest request, ServiceBusSender sender)
    {
        var now = TimeProvider.System.GetUtcNow();
        var id = Guid.CreateVersion7(now).ToString();
        await sender.SendMessageAsync(
            new ServiceBusMessage(Json(request with { DeliveryId = id }))
            {
                MessageId = id,
                CorrelationId = id,
                ContentType = QueueMessage.ContentType,
                ApplicationProperties =
                {
                    [QueueMessage.OperationProperty] = QueueMessage.Delivery,
                    [QueueMessage.AcceptedProperty] = now.ToString("O", CultureInfo.InvariantCulture),
                    [QueueMessage.FingerprintProperty] = Fingerprint,
                },
            }
        );
        return Results.Accepted();
    }

    private static async Task<IResult> StoreAsync(string id, DeliveryUpsert request, IDatabase redis)
    {
        var delivery = new DeliveryDetails(id, request);
        var now = TimeProvider.System.GetUtcNow();
        var life = (long)(delivery.FlightPlan.Landing - now + Life).TotalMilliseconds;
        var month = $"owner:{delivery.OwnerId}:{delivery.PickupTime.UtcDateTime:yyyy-MM}";
        RedisKey[] keys = [$"delivery:{id}", $"delivery:{id}:events", month];
        RedisValue[] values =
        [
            life,
            Json(delivery),
            Json(new DeliveryEvent { Stage = DeliveryStage.Created, Time = now }),
            id,
        ];
        await redis.ScriptEvaluateAsync(Script, keys, values);
        return TypedResults.Created($"/api/deliveries/{id}", delivery);
    }

    private static void AddProxy(WebApplicationBuilder builder, string upstream)
    {
        var route = new RouteConfig
        {
            RouteId = "all",
            ClusterId = Backend,
            Match = new() { Path = "/{**path}" },
        };
        var cluster = new ClusterConfig
        {
            ClusterId = Backend,
            Destinations = new Dictionary<string, DestinationConfig> { ["0"] = new() { Address = upstream } },
        };
        builder.Services.AddReverseProxy().LoadFromMemory([route], [cluster]);
    }

    private static async Task AnswerAsync(HttpContext context)
    {
        await context.Request.Body.CopyToAsync(Stream.Null, context.RequestAborted);
        context.Response.StatusCode = StatusCodes.Status202Accepted;
        context.Response.ContentLength = 0;
    }

    private static byte[] Json<T>(T value) => JsonSerializer.SerializeToUtf8Bytes(value, ContractJson.Options);
}
