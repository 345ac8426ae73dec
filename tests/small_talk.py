"""Two short conversations in the form of LoCoMo's file, and chats in that of LongMemEval's."""

LOCOMO = [
    {
        "sample_id": "garden",
        "conversation": {
            "speaker_a": "Nora",
            "speaker_b": "Tomas",
            "session_2_date_time": "9 June",
            "session_2": [
                {"speaker": "Tomas", "dia_id": "D2:1", "text": "The kayak is finally varnished."},
                {"speaker": "Nora", "dia_id": "D2:2", "text": "Lovely! I start the pottery class on Friday."},
            ],
            "session_1": [
                {"speaker": "Nora", "dia_id": "D1:1", "text": "Which seeds did you buy?"},
                {"speaker": "Tomas", "dia_id": "D1:2", "text": "Pumpkins, and a new rake."},
                {
                    "speaker": "Nora",
                    "dia_id": "D1:3",
                    "text": "Look at this!",
                    "blip_caption": "a photo of a grey cat in a wheelbarrow",
                },
            ],
            "session_3_date_time": "never",
        },
        "qa": [
            {"question": "What seeds did Tomas buy?", "evidence": ["D1:02"], "category": 4},
            {"question": "What does Nora own or learn?", "evidence": ["D1:3; D2:2"], "category": 1},
            {"question": "When does Nora's class begin?", "evidence": ["D:2:2", "D9:9"], "category": 2},
            {"question": "What is the boat called?", "evidence": ["D2:1"], "category": 5},
            {"question": "Does Tomas like rain?", "evidence": [], "category": 3},
        ],
    },
    {
        "sample_id": "kitchen",
        "conversation": {
            "session_1": [
                {"speaker": "Ida", "dia_id": "D1:1", "text": "The sourdough needs twelve hours."},
                {"speaker": "Per", "dia_id": "D1:2", "text": "I would rather buy a cake."},
            ]
        },
        "qa": [{"question": "How long does Ida's dough rest?", "evidence": ["D1:1"], "category": 4}],
    },
]


def _said(*texts):
    return [
        turn
        for text in texts
        for turn in ({"role": "user", "content": text}, {"role": "assistant", "content": "Good to know."})
    ]


LONGMEMEVAL = [
    {
        "question": "Which instrument did I take up?",
        "question_type": "single-session-user",
        "haystack_session_ids": ["music", "trip"],
        "haystack_sessions": [
            _said("I have taken up the cello.", "It is loud."),
            _said("My train to Oslo leaves at nine."),
        ],
        "answer_session_ids": ["music"],
    },
    {
        "question": "Where did I travel by train, and by ferry?",
        "question_type": "multi-session",
        "haystack_session_ids": ["trip", "ferry"],
        "haystack_sessions": [
            _said("My train to Oslo leaves at nine."),
            _said("The ferry to Kiel was late."),
        ],
        "answer_session_ids": ["trip", "ferry"],
    },
]
