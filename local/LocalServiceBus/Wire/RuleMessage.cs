using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>Decodes the properties and application properties of messages for rules.</summary>
internal sealed class RuleMessageReader : IRuleMessageReader
{
    public IRuleMessage Read(QueuedMessage message)
    {
        try
        {
            return new RuleMessage(message);
        }
        catch (AmqpException error)
        {
            // Values are decoded only for rules.
            throw new FilterException($"The message cannot be read: {error.Message}");
        }
    }

    public MessageContent WithIds(MessageContent content) => IncomingMessage.WithIds(content);
}

/// <summary>A message for rules. Only changed parts are encoded again.</summary>
internal sealed class RuleMessage : IRuleMessage
{
    private readonly QueuedMessage _message;
    private readonly MessageSections _sections;
    private readonly MessageProperties _properties;
    private readonly Dictionary<string, object?> _applicationProperties;

    // Includes removed names.
    private readonly HashSet<string> _replaced = [];

    public RuleMessage(QueuedMessage message)
    {
        _message = message;
        _sections = MessageSections.Split(message.Content.Body);
        _properties = _sections.Properties.IsEmpty ? new() : AmqpMessage.Decode(_sections.Properties).Properties!;
        _applicationProperties = _sections.ApplicationProperties.IsEmpty
            ? []
            : AmqpMessage.Decode(_sections.ApplicationProperties).ApplicationProperties!;
        foreach (var (name, value) in message.ChangedProperties ?? new Dictionary<string, object?>())
        {
            _replaced.Add(name);
            _applicationProperties[name] = DescribedProperty.ToAmqp(value);
        }
    }

    private IEnumerable<KeyValuePair<string, object?>> Changes =>
        _applicationProperties.Where(property => _replaced.Contains(property.Key));

    public object? System(string name) =>
        name switch
        {
            SystemProperty.MessageId => Text(_properties.MessageId),
            SystemProperty.CorrelationId => Text(_properties.CorrelationId),
            SystemProperty.Label => _properties.Subject,
            SystemProperty.To => _properties.To,
            SystemProperty.ReplyTo => _properties.ReplyTo,
            SystemProperty.SessionId => _properties.GroupId,
            SystemProperty.ReplyToSessionId => _properties.ReplyToGroupId,
            SystemProperty.ContentType => _properties.ContentType?.Value,
            SystemProperty.TimeToLive => _message.TimeToLive,
            SystemProperty.ExpiresAtUtc => _message.ExpiresAt,
            SystemProperty.ScheduledEnqueueTimeUtc => _message.Content.ScheduledEnqueueTime,
            SystemProperty.DeadLetterSource => _message.DeadLetterSource,
            SystemProperty.SequenceNumber => _message.SequenceNumber,
            SystemProperty.EnqueuedSequenceNumber => _message.EnqueuedSequenceNumber,
            SystemProperty.EnqueuedTimeUtc => _message.EnqueuedAt,
            SystemProperty.Size => _message.Content.Body.Length,
            SystemProperty.DeliveryCount => _message.DeliveryCount,
            _ => null,
        };

    public bool TryGet(string name, out object? value)
    {
        var written = Find(name);
        value = written is null ? null : DescribedProperty.ToRuleValue(_applicationProperties[written]);
        return written is not null;
    }

    public void SetSystem(string name, object? value)
    {
        var text = value is null or string
            ? (string?)value
            : Convert.ToString(value, global::System.Globalization.CultureInfo.InvariantCulture)!;
        if (name == SystemProperty.SessionId && text?.Length > IncomingMessage.MaxSessionIdLength)
        {
            throw new FilterException(
                $"A session ID can have at most {IncomingMessage.MaxSessionIdLength} characters."
            );
        }
        switch (name)
        {
            case SystemProperty.MessageId:
                _properties.MessageId = text;
                break;
            case SystemProperty.CorrelationId:
                _properties.CorrelationId = text;
                break;
            case SystemProperty.Label:
                _properties.Subject = text;
                break;
            case SystemProperty.To:
                _properties.To = text;
                break;
            case SystemProperty.ReplyTo:
                _properties.ReplyTo = text;
                break;
            case SystemProperty.SessionId:
                _properties.GroupId = text;
                break;
            case SystemProperty.ReplyToSessionId:
                _properties.ReplyToGroupId = text;
                break;
            case SystemProperty.ContentType:
                _properties.ContentType = text is null ? default(Symbol?) : AsSymbol(text);
                break;
        }
    }

    public void Set(string name, object? value)
    {
        var written = Find(name) ?? name;
        _applicationProperties.Remove(written);
        _replaced.Add(written);
        if (value is null)
            return;
        _applicationProperties[written] = DescribedProperty.OfRuleValue(value);
        if (
            Changes.Sum(change => MemorySize.Of(change.Key, DescribedProperty.FromAmqp(change.Value)))
            > MemorySize.MaxProperties
        )
        {
            throw new FilterException(
                $"The properties changed by the action would exceed {MemorySize.MaxProperties} bytes."
            );
        }
    }

    public MessageContent ToContent()
    {
        using var writer = new AmqpWriter();
        try
        {
            WriteProperties(writer);
        }
        catch (ArgumentException error)
        {
            throw new FilterException(error.Message);
        }
        var content = _message.Content;
        writer.WriteRaw(content.Body.Span[^(_sections.Body.Length + _sections.Footer.Length)..]);
        var body = writer.WrittenSpan.ToArray();
        return content with
        {
            Body = body,
            WireSize = body.Length + content.Annotations.Length,
            SessionId = _properties.GroupId,
        };
    }

    private void WriteProperties(AmqpWriter writer)
    {
        _properties.Encode(writer);
        if (_applicationProperties.Count == 0)
            return;
        OutgoingMessage.WriteProperties(writer, _sections.ApplicationProperties.Span, _replaced.Contains, Changes);
    }

    /// <summary>Finds a name with the same case first, and then ignoring case.</summary>
    private string? Find(string name) =>
        _applicationProperties.ContainsKey(name)
            ? name
            : _applicationProperties.Keys.FirstOrDefault(key => key.Equals(name, StringComparison.OrdinalIgnoreCase));

    private static string? Text(object? id) => id is byte[] bytes ? Convert.ToHexString(bytes) : id?.ToString();

    private static Symbol AsSymbol(string text) =>
        global::System.Text.Ascii.IsValid(text)
            ? new Symbol(text)
            : throw new FilterException("A content type can contain only ASCII characters.");
}
