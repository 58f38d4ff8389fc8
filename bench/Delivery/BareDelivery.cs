using System.CommandLine;
using System.Text.Json;
using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using StackExchange.Redis;

namespace DroneDelivery.Bench.Delivery;

/// <summary>
/// What Delivery is measured against: an endpoint that parses the same JSON, writes the delivery and its event as JSON, runs the same
/// script through the same client, and answers 201 with Location and the delivery. It does nothing else: no validation, no fingerprint, no
/// limit of time, no words for a Redis that is away or full, no metrics, no logging, no other route.
/// </summary>
internal static class BareDelivery
{
    /// <summary>That of Delivery, by which it stores a new delivery.</summary>
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

    private static readonly TimeSpan Life = TimeSpan.FromDays(30);

    public static Command Command()
    {
        var (port, redis) = (
            new Option<int>("--port") { Required = true },
            new Option<int>("--redis") { Required = true }
        );
        var command = new Command("bare-delivery", "The endpoint that Delivery is measured against.") { port, redis };
        command.SetAction((parsed, ct) => Serve(parsed.GetValue(port), parsed.GetValue(redis), ct));
        return command;
    }

    private static async Task<int> Serve(int port, int redis, CancellationToken cancellationToken)
    {
        using var connection = await ConnectionMultiplexer.ConnectAsync($"127.0.0.1:{redis}");
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls($"http://127.0.0.1:{port}");
        builder.Services.ConfigureHttpJsonOptions(options => ContractJson.Configure(options.SerializerOptions));
        var app = builder.Build();
        app.MapPut("/api/deliveries/{id}", (string id, DeliveryUpsert request) =>
            StoreAsync(id, request, connection.GetDatabase())
        );
        await app.StartAsync(cancellationToken);
        await app.WaitForShutdownAsync(cancellationToken);
        return 0;
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

    private static byte[] Json<T>(T value) => JsonSerializer.SerializeToUtf8Bytes(value, ContractJson.Options);
}
