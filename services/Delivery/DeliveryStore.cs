using System.Text.Json;
using DroneDelivery.Contracts;
using DroneDelivery.Delivery.Redis;
using Microsoft.Extensions.Options;
using StackExchange.Redis;

namespace DroneDelivery.Delivery;

/// <summary>
/// A delivery is its JSON, the list of its newest hundred events, its confirmation, and a member of its owner's month. They change together
/// in one script: one round trip, and a Redis without memory refuses all of it. They live until <c>Redis:KeyTimeToLive</c> after the later
/// of the last change and the landing; the month lives as long as the longest of its deliveries.
/// </summary>
/// <remarks>The keys of one script belong to different hash slots, so this needs a Redis without sharding.</remarks>
internal sealed class DeliveryStore(RedisConnection redis, IOptions<RedisOptions> options, TimeProvider time)
{
    // ARGV[1]: milliseconds to live; 0: for ever. PTTL says -1 of a key without end and -2 of none, so a month is measured before it is
    // changed.
    private const string Life = """
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

        """;

    private const string ReplaceScript =
        Life
        + """
            local stored = redis.call('GET', KEYS[1]) or ''
            if stored ~= ARGV[2] then return stored end
            redis.call('SET', KEYS[1], ARGV[3])
            tell(KEYS[2], ARGV[4])
            redis.call('SREM', KEYS[3], ARGV[5])
            if ARGV[6] == '1' then add_to(KEYS[4], ARGV[5]) end
            live(KEYS[1])
            live(KEYS[2])
            if ARGV[7] ~= '' then
                redis.call('SET', KEYS[5], ARGV[7])
                live(KEYS[5])
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

    /// <param name="old">The stored JSON that the change starts from, and its content; <c>null</c> if nothing is stored.</param>
    /// <param name="confirmation">Stored with the change. <c>null</c> for none.</param>
    /// <returns><c>null</c> if the change is stored; otherwise, the JSON that is stored instead of the old one.</returns>
    public async Task<byte[]?> ReplaceAsync(
        string id,
        (StoredRequest Stored, byte[] Json)? old,
        StoredRequest after,
        DeliveryEvent what,
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
            // A key that a script names is checked even if the script does not use it.
            confirmation is null
                ? RedisKeys.Delivery(id)
                : RedisKeys.Confirmation(id),
        ];
        var counts = after is StoredDelivery { Closed: not { Stage: DeliveryStage.Cancelled } };
        RedisValue[] values =
        [
            LifeOf(after),
            old?.Json ?? [],
            Serialize(after),
            Serialize(what),
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

    /// <returns>Milliseconds from now on; 0: for ever.</returns>
    private long LifeOf(StoredRequest stored)
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
