using System.Text.Json;
using DroneDelivery.Contracts;
using DroneDelivery.Delivery.Redis;
using Microsoft.Extensions.Options;
using StackExchange.Redis;

namespace DroneDelivery.Delivery;

/// <summary>
/// A delivery is two keys, its JSON and the list of its newest hundred events, and a member of its owner's month. They change together in
/// one script: one round trip, and a Redis without memory refuses all of it. They live until <c>Redis:KeyTimeToLive</c> after the later of
/// the last change and the landing, and so does what is stored beside them; the month lives as long as the longest of its deliveries.
/// </summary>
/// <remarks>The keys of one script belong to different hash slots, so this needs a Redis without sharding.</remarks>
internal sealed class DeliveryStore(RedisConnection redis, IOptions<RedisOptions> options, TimeProvider time)
{
    /// <summary>Notify-me requests of a delivery.</summary>
    public const int MostNotifyMe = 100;

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

    private const string AddScript = Life + """
        local stored = redis.call('GET', KEYS[1])
        if stored then return stored end
        redis.call('SET', KEYS[1], ARGV[2])
        tell(KEYS[2], ARGV[3])
        add_to(KEYS[3], ARGV[4])
        live(KEYS[1])
        live(KEYS[2])
        return false
        """;

    private const string ReplaceScript = Life + """
        if redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
        redis.call('SET', KEYS[1], ARGV[3])
        tell(KEYS[2], ARGV[4])
        redis.call('SREM', KEYS[3], ARGV[5])
        if ARGV[6] == '1' then add_to(KEYS[4], ARGV[5]) end
        live(KEYS[1])
        live(KEYS[2])
        live(KEYS[5])
        return 1
        """;

    private const string FailScript = Life + """
        if (redis.call('GET', KEYS[1]) or '') ~= ARGV[2] then return 0 end
        redis.call('SET', KEYS[1], ARGV[3])
        tell(KEYS[2], ARGV[4])
        live(KEYS[1])
        live(KEYS[2])
        return 1
        """;

    // The request ends with its delivery. One that is there already is a replay. A script blocks everybody, so it compares few.
    private const string NotifyScript = """
        local left = redis.call('PTTL', KEYS[1])
        if left == -2 or redis.call('GETRANGE', KEYS[1], 0, #ARGV[2] - 1) == ARGV[2] then return 0 end
        local kept = redis.call('LRANGE', KEYS[2], 0, ARGV[3] - 1)
        for _, request in ipairs(kept) do
            if request == ARGV[1] then return 1 end
        end
        if #kept >= tonumber(ARGV[3]) then return 2 end
        redis.call('RPUSH', KEYS[2], ARGV[1])
        if left > 0 then redis.call('PEXPIRE', KEYS[2], left) end
        return 1
        """;

    private readonly TimeSpan _timeToLive = options.Value.KeyTimeToLive ?? TimeSpan.Zero;

    /// <returns>Null: stored. Otherwise what was there before, untouched.</returns>
    public async Task<(StoredRequest Stored, byte[] Json)?> AddAsync(
        StoredDelivery added, DeliveryEvent created, CancellationToken cancellationToken)
    {
        var id = added.Delivery.Id;
        RedisKey[] keys = [RedisKeys.Delivery(id), RedisKeys.Events(id), RedisKeys.Month(added.Delivery)];
        RedisValue[] values = [LifeOf(added), Serialize(added), Serialize(created), id];
        var existing = await redis.WriteAsync(
            "EVALSHA add", database => database.ScriptEvaluateAsync(AddScript, keys, values), cancellationToken);
        return existing.IsNull ? null : Read((byte[])existing!);
    }

    public async Task<(StoredRequest Stored, byte[] Json)?> FindAsync(string id, CancellationToken cancellationToken)
    {
        var json = await redis.ReadAsync("GET", database => database.StringGetAsync(RedisKeys.Delivery(id)), cancellationToken);
        return json.IsNull ? null : Read(json!);
    }

    /// <returns>Null: there is no such delivery, or its request has failed.</returns>
    public async Task<StoredDelivery?> FindDeliveryAsync(string id, CancellationToken cancellationToken) =>
        await FindAsync(id, cancellationToken) is ({ } stored, _) ? stored as StoredDelivery : null;

    /// <param name="old">The stored JSON that the change starts from.</param>
    /// <param name="before">What <paramref name="old"/> says.</param>
    /// <param name="after">What is stored instead.</param>
    /// <param name="what">The event that goes with it.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>False: somebody else changed it since.</returns>
    public async Task<bool> TryReplaceAsync(
        byte[] old, StoredRequest before, StoredDelivery after, DeliveryEvent what, CancellationToken cancellationToken)
    {
        var id = after.Delivery.Id;
        RedisKey[] keys =
        [
            RedisKeys.Delivery(id),
            RedisKeys.Events(id),
            RedisKeys.Month((before as StoredDelivery ?? after).Delivery),
            RedisKeys.Month(after.Delivery),
            RedisKeys.NotifyMe(id),
        ];
        var counts = after.Closed is not { Stage: DeliveryStage.Cancelled };
        RedisValue[] values = [LifeOf(after), old, Serialize(after), Serialize(what), id, counts ? 1 : 0];
        return (bool)await redis.WriteAsync(
            "EVALSHA replace", database => database.ScriptEvaluateAsync(ReplaceScript, keys, values), cancellationToken);
    }

    /// <param name="id">Of the delivery that there is not.</param>
    /// <param name="old">The stored JSON that this replaces; null: nothing is stored.</param>
    /// <param name="failure">What is stored instead.</param>
    /// <param name="what">The event that goes with it.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>False: somebody else changed it since.</returns>
    public async Task<bool> TryFailAsync(
        string id, byte[]? old, StoredFailure failure, DeliveryEvent what, CancellationToken cancellationToken)
    {
        RedisKey[] keys = [RedisKeys.Delivery(id), RedisKeys.Events(id)];
        RedisValue[] values = [(long)_timeToLive.TotalMilliseconds, old ?? [], Serialize(failure), Serialize(what)];
        return (bool)await redis.WriteAsync(
            "EVALSHA fail", database => database.ScriptEvaluateAsync(FailScript, keys, values), cancellationToken);
    }

    public async Task<IReadOnlyList<DeliveryEvent>> GetEventsAsync(string id, CancellationToken cancellationToken) =>
        await GetListAsync<DeliveryEvent>(RedisKeys.Events(id), cancellationToken);

    public async Task<int> CountAsync(string ownerId, int year, int month, CancellationToken cancellationToken) =>
        (int)await redis.ReadAsync("SCARD", database => database.SetLengthAsync(RedisKeys.Month(ownerId, year, month)), cancellationToken);

    public async Task<NotifyMeResult> AddNotifyMeAsync(string id, NotifyMeRequest request, CancellationToken cancellationToken)
    {
        RedisKey[] keys = [RedisKeys.Delivery(id), RedisKeys.NotifyMe(id)];
        RedisValue[] values = [Serialize(request), StoredFailure.Beginning, MostNotifyMe];
        return (NotifyMeResult)(int)await redis.WriteAsync(
            "EVALSHA notify", database => database.ScriptEvaluateAsync(NotifyScript, keys, values), cancellationToken);
    }

    public async Task<IReadOnlyList<NotifyMeRequest>> GetNotifyMeAsync(string id, CancellationToken cancellationToken) =>
        await GetListAsync<NotifyMeRequest>(RedisKeys.NotifyMe(id), cancellationToken);

    /// <summary>The first confirmation stays; a replay changes nothing.</summary>
    public async Task AddConfirmationAsync(StoredDelivery confirmed, DeliveryConfirmation confirmation, CancellationToken cancellationToken)
    {
        var key = RedisKeys.Confirmation(confirmed.Delivery.Id);
        TimeSpan? expiry = LifeOf(confirmed) is > 0 and var life ? TimeSpan.FromMilliseconds(life) : null;
        await redis.WriteAsync(
            "SET", database => database.StringSetAsync(key, Serialize(confirmation), expiry, When.NotExists), cancellationToken);
    }

    public async Task<DeliveryConfirmation?> FindConfirmationAsync(string id, CancellationToken cancellationToken)
    {
        var json = await redis.ReadAsync("GET", database => database.StringGetAsync(RedisKeys.Confirmation(id)), cancellationToken);
        return json.IsNull ? null : Deserialize<DeliveryConfirmation>(json!);
    }

    private async Task<IReadOnlyList<T>> GetListAsync<T>(RedisKey key, CancellationToken cancellationToken)
    {
        var entries = await redis.ReadAsync("LRANGE", database => database.ListRangeAsync(key), cancellationToken);
        return [.. entries.Select(entry => Deserialize<T>(entry!))];
    }

    /// <returns>Milliseconds from now on; 0: for ever.</returns>
    private long LifeOf(StoredDelivery stored)
    {
        if (_timeToLive == TimeSpan.Zero)
            return 0;
        var untilLanding = stored.Delivery.FlightPlan.Landing - time.GetUtcNow();
        return (long)(untilLanding > TimeSpan.Zero ? untilLanding + _timeToLive : _timeToLive).TotalMilliseconds;
    }

    private static (StoredRequest Stored, byte[] Json) Read(byte[] json) =>
        (StoredFailure.IsIn(json) ? Deserialize<StoredFailure>(json) : Deserialize<StoredDelivery>(json), json);

    private static byte[] Serialize<T>(T value) => JsonSerializer.SerializeToUtf8Bytes(value, ContractJson.Options);

    private static T Deserialize<T>(byte[] json) => JsonSerializer.Deserialize<T>(json, ContractJson.Options)!;
}

/// <summary>As the script numbers them.</summary>
internal enum NotifyMeResult
{
    /// <summary>There is no such delivery, or its request has failed.</summary>
    Unknown,

    /// <summary>It is kept, perhaps since before.</summary>
    Kept,

    /// <summary>The delivery has as many others as it may have.</summary>
    Full,
}
