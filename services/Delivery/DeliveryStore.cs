using System.Text.Json;
using DroneDelivery.Contracts;
using DroneDelivery.Delivery.Redis;
using Microsoft.Extensions.Options;
using StackExchange.Redis;

namespace DroneDelivery.Delivery;

/// <summary>
/// Stores each delivery as JSON, with its latest 100 events, its confirmation, and an entry in its owner's month. A script changes them
/// together, in one round trip. Keys expire <c>Redis:KeyTimeToLive</c> after the last change or the landing, whichever is later; a month,
/// with the last of its deliveries.
/// </summary>
/// <remarks>A script uses keys in different hash slots, so Redis must not be sharded.</remarks>
internal sealed class DeliveryStore(RedisConnection redis, IOptions<RedisOptions> options, TimeProvider time)
{
    // ARGV[1] is the time to live in milliseconds; 0 for no expiry. PTTL returns -1 for a key without expiry and -2 for a missing key.
    private const string Functions = """
        local ttl = tonumber(ARGV[1])
        local function expire(key)
            if ttl > 0 then redis.call('PEXPIRE', key, ttl) else redis.call('PERSIST', key) end
        end
        local function add_to(month, id)
            local left = redis.call('PTTL', month)
            redis.call('SADD', month, id)
            if ttl == 0 or left == -2 or (left >= 0 and left < ttl) then expire(month) end
        end
        local function add_event(events, event)
            redis.call('RPUSH', events, event)
            redis.call('LTRIM', events, -100, -1)
        end

        """;

    private const string ReplaceScript =
        Functions
        + """
            local stored = redis.call('GET', KEYS[1]) or ''
            if stored ~= ARGV[2] then return stored end
            redis.call('SET', KEYS[1], ARGV[3])
            add_event(KEYS[2], ARGV[4])
            redis.call('SREM', KEYS[3], ARGV[5])
            if ARGV[6] == '1' then add_to(KEYS[4], ARGV[5]) end
            expire(KEYS[1])
            expire(KEYS[2])
            if ARGV[7] ~= '' then
                redis.call('SET', KEYS[5], ARGV[7])
                expire(KEYS[5])
            end
            return false
            """;

    private readonly TimeSpan _timeToLive = options.Value.KeyTimeToLive ?? TimeSpan.Zero;

    public async Task<(StoredRequest Stored, byte[] Json)?> FindAsync(string id, CancellationToken cancellationToken)
    {
        var json = await redis.ReadAsync(
            "GET",
            database => database.StringGetAsync(RedisKeys.Delivery(id)),
            cancellationToken
        );
        return json.IsNull ? null : Read(json!);
    }

    /// <param name="old">The expected content and its JSON; <c>null</c> if nothing is stored.</param>
    /// <param name="confirmation">The confirmation to store; <c>null</c> for none.</param>
    /// <returns><c>null</c> if the change is stored; otherwise, the JSON that is stored instead of <paramref name="old"/>.</returns>
    public async Task<byte[]?> ReplaceAsync(
        string id,
        (StoredRequest Stored, byte[] Json)? old,
        StoredRequest after,
        DeliveryEvent newEvent,
        DeliveryConfirmation? confirmation,
        CancellationToken cancellationToken
    )
    {
        RedisKey[] keys =
        [
            RedisKeys.Delivery(id),
            RedisKeys.Events(id),
            RedisKeys.Month(old?.Stored),
            RedisKeys.Month(after),
            // Redis checks permissions for all keys of a script, even unused ones.
            confirmation is null
                ? RedisKeys.Delivery(id)
                : RedisKeys.Confirmation(id),
        ];
        var counts = after is StoredDelivery { Closed: not { Stage: DeliveryStage.Cancelled } };
        RedisValue[] values =
        [
            TimeToLiveOf(after),
            old?.Json ?? [],
            Serialize(after),
            Serialize(newEvent),
            id,
            counts ? 1 : 0,
            confirmation is null ? "" : Serialize(confirmation),
        ];
        var stored = await redis.WriteAsync(
            old is null ? "EVALSHA add" : "EVALSHA replace",
            database => database.ScriptEvaluateAsync(ReplaceScript, keys, values),
            cancellationToken
        );
        return stored.IsNull ? null : (byte[])stored!;
    }

    public async Task<IReadOnlyList<DeliveryEvent>> GetEventsAsync(string id, CancellationToken cancellationToken)
    {
        var events = await redis.ReadAsync(
            "LRANGE",
            database => database.ListRangeAsync(RedisKeys.Events(id)),
            cancellationToken
        );
        return [.. events.Select(json => Deserialize<DeliveryEvent>(json!))];
    }

    public async Task<int> CountAsync(string ownerId, int year, int month, CancellationToken cancellationToken) =>
        (int)
            await redis.ReadAsync(
                "SCARD",
                database => database.SetLengthAsync(RedisKeys.Month(ownerId, year, month)),
                cancellationToken
            );

    public async Task<DeliveryConfirmation?> FindConfirmationAsync(string id, CancellationToken cancellationToken)
    {
        var json = await redis.ReadAsync(
            "GET",
            database => database.StringGetAsync(RedisKeys.Confirmation(id)),
            cancellationToken
        );
        return json.IsNull ? null : Deserialize<DeliveryConfirmation>(json!);
    }

    private long TimeToLiveOf(StoredRequest stored)
    {
        if (_timeToLive == TimeSpan.Zero)
            return 0;
        var untilLanding = stored is StoredDelivery flown
            ? flown.Delivery.FlightPlan.Landing - time.GetUtcNow()
            : TimeSpan.Zero;
        return (long)(untilLanding > TimeSpan.Zero ? untilLanding + _timeToLive : _timeToLive).TotalMilliseconds;
    }

    public static (StoredRequest Stored, byte[] Json) Read(byte[] json) =>
        (StoredFailure.IsIn(json) ? Deserialize<StoredFailure>(json) : Deserialize<StoredDelivery>(json), json);

    private static byte[] Serialize(object value) => JsonSerializer.SerializeToUtf8Bytes(value, ContractJson.Options);

    private static T Deserialize<T>(byte[] json) => JsonSerializer.Deserialize<T>(json, ContractJson.Options)!;
}
