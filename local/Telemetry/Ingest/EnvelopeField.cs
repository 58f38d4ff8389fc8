using System.Text;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>What is kept of an envelope while it is read. Names are unique over all kinds of telemetry, except that three properties come
/// at two levels (<c>name</c>, <c>ver</c>, <c>time</c>): <see cref="EnvelopeReader"/> knows the level.</summary>
internal enum EnvelopeField
{
    None,

    // The envelope
    Time,
    SampleRate,
    InstrumentationKey,
    BaseType,

    // Its tags
    Role,
    RoleInstance,
    OperationId,
    OperationParentId,
    OperationName,
    SyntheticSource,
    Version,
    SdkVersion,
    DeviceType,
    Ip,
    UserId,
    SessionId,

    // data.baseData
    Id,
    Name,
    Data,
    Duration,
    Success,
    ResultCode,
    ResponseCode,
    Type,
    Target,
    Url,
    Source,
    Message,
    SeverityLevel,
    ProblemId,
    RunLocation,
    Exceptions,
    Metrics,
    Properties,
    Measurements,
}

/// <summary>The names of the fields at one level of an envelope, found by length first.</summary>
internal sealed class FieldNames(params (string Name, EnvelopeField Field)[] names)
{
    private readonly (byte[] Name, EnvelopeField Field)[][] _byLength =
    [
        .. Enumerable
            .Range(0, names.Max(each => each.Name.Length) + 1)
            .Select(length =>
                names
                    .Where(each => each.Name.Length == length)
                    .Select(each => (Encoding.UTF8.GetBytes(each.Name), each.Field))
                    .ToArray()
            ),
    ];

    public static readonly FieldNames Envelope = new(
        ("time", EnvelopeField.Time),
        ("sampleRate", EnvelopeField.SampleRate),
        ("iKey", EnvelopeField.InstrumentationKey)
    );

    public static readonly FieldNames Tags = new(
        ("ai.cloud.role", EnvelopeField.Role),
        ("ai.cloud.roleInstance", EnvelopeField.RoleInstance),
        ("ai.operation.id", EnvelopeField.OperationId),
        ("ai.operation.parentId", EnvelopeField.OperationParentId),
        ("ai.operation.name", EnvelopeField.OperationName),
        ("ai.operation.syntheticSource", EnvelopeField.SyntheticSource),
        ("ai.application.ver", EnvelopeField.Version),
        ("ai.internal.sdkVersion", EnvelopeField.SdkVersion),
        ("ai.device.type", EnvelopeField.DeviceType),
        ("ai.location.ip", EnvelopeField.Ip),
        ("ai.user.id", EnvelopeField.UserId),
        ("ai.session.id", EnvelopeField.SessionId)
    );

    public static readonly FieldNames BaseData = new(
        ("id", EnvelopeField.Id),
        ("name", EnvelopeField.Name),
        ("data", EnvelopeField.Data),
        ("duration", EnvelopeField.Duration),
        ("success", EnvelopeField.Success),
        ("resultCode", EnvelopeField.ResultCode),
        ("responseCode", EnvelopeField.ResponseCode),
        ("type", EnvelopeField.Type),
        ("target", EnvelopeField.Target),
        ("url", EnvelopeField.Url),
        ("source", EnvelopeField.Source),
        ("message", EnvelopeField.Message),
        ("severityLevel", EnvelopeField.SeverityLevel),
        ("problemId", EnvelopeField.ProblemId),
        ("runLocation", EnvelopeField.RunLocation),
        ("exceptions", EnvelopeField.Exceptions),
        ("metrics", EnvelopeField.Metrics),
        ("properties", EnvelopeField.Properties),
        ("measurements", EnvelopeField.Measurements)
    );

    public EnvelopeField Find(ReadOnlySpan<byte> name)
    {
        if (name.Length >= _byLength.Length)
            return EnvelopeField.None;
        foreach (var (candidate, field) in _byLength[name.Length])
        {
            if (name.SequenceEqual(candidate))
                return field;
        }
        return EnvelopeField.None;
    }
}
